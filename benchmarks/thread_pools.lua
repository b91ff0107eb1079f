-- What jobs cost, and how much faster two threads are than one: t7 benchmarks/thread_pools.lua [row [rounds]]. It needs
-- two idle cores.
--
-- In each round two threads do the same work in turn and at the same time, and so do two processes that share nothing;
-- ratios are medians over the rounds. What the processes gain is the most that threads can gain here: where others use
-- the second half of a core, the same job takes 50 ms now and 75 ms then, and of two jobs the longer one counts. What
-- threads cost each other shows in the processor time of both, by that of the same work in turn.

require 'image'
local parallel, threads = require 'parallel', require 'threads'
threads.Threads.serialization 'threads.sharedserialize'
local wanted = arg[1] or ''
local ROUNDS = tonumber(arg[2] or 21)

-- Seconds of the clock and of the processors.
local function seconds(f)
   local timer, used = torch.Timer(), os.clock()
   f()
   return timer:time().real, os.clock() - used
end

local function median(values)
   table.sort(values)
   return values[math.ceil(#values / 2)]
end

-- The median of the seconds of a function, after a first call.
local function typical(runs, f)
   f()
   local times = {}
   for i = 1, runs do times[i] = seconds(f) end
   return median(times)
end

-- Compares by functions that do the work in turn and at the same time.
local function compare(name, sequential, threaded, apart_sequential, apart)
   local threads_gain, processes_gain, costs, turns = {}, {}, {}, {}
   for round = 0, ROUNDS do
      local turn, used_sequential = seconds(sequential)
      local both, used = seconds(threaded)
      local apart_turn, apart_both = seconds(apart_sequential), seconds(apart)
      -- The first one loads and compiles.
      if round > 0 then
         threads_gain[round], processes_gain[round] = turn / both, apart_turn / apart_both
         costs[round], turns[round] = used / used_sequential, turn
      end
   end
   print(('%-36s threads %.2f, processes %.2f times as fast; processor time %.2f; %.0f ms in turn'):format(name,
      median(threads_gain), median(processes_gain), median(costs), median(turns) * 1e3))
end

local function has(name) return name:find(wanted, 1, true) end

local two = threads.Threads(2)

local function jobs(pool, count, f, ...)
   for _ = 1, count do pool:addjob(f, nil, ...) end
   pool:synchronize()
end

local function empty() end
local large = torch.rand(1000000)
for _, row in ipairs {
   { 'empty job, in batches', 200, function() jobs(two, 200, empty) end },
   { 'empty job, there and back', 50, function() for _ = 1, 50 do jobs(two, 1, empty) end end },
   { 'job that shares 8 MB', 50, function() jobs(two, 50, function() return large:size(1) end) end },
} do
   if has(row[1]) then print(('%-36s %8.1f us'):format(row[1], typical(20, row[3]) / row[2] * 1e6)) end
end

local function both(f, g)
   two:addjob(1, f)
   two:addjob(2, g)
   two:synchronize()
end
local function threads_sequential(f, g)
   two:addjob(1, f)
   two:synchronize()
   two:addjob(2, g)
   two:synchronize()
end

local children = parallel.nfork(2)
local function apart(f, g)
   children[1]:exec(f)
   children[2]:exec(g)
   children:sync()
end
local function apart_sequential(f, g)
   children[1]:exec(f)
   children[1]:sync()
   children[2]:exec(g)
   children[2]:sync()
end

two:specific(true)
for _, row in ipairs {
   { 'loops of Lua', function()
      local s = 0
      for i = 1, 2.5e7 do s = s + i % 7 end
      return s
   end },
   { 'products of 10x10', function()
      local a, b, c = torch.rand(10, 10), torch.rand(10, 10), torch.rand(10, 10)
      for _ = 1, 200000 do c:mm(a, b) end
   end },
   { '10x10: mm, add, sum, index', function()
      local a, b, s = torch.rand(10, 10), torch.rand(10, 10), 0
      for _ = 1, 50000 do
         local c = a * b
         c:add(1)
         s = s + c[1][1] + c:sum()
      end
   end },
   { '300x300: mm, tanh', function()
      local a, b = torch.rand(300, 300), torch.rand(300, 300)
      for _ = 1, 20 do
         b:mm(a, a)
         b:tanh()
      end
   end },
} do
   local name, work = unpack(row)
   if has(name) then
      compare(name, function() threads_sequential(work, work) end, function() both(work, work) end,
         function() apart_sequential(work, work) end, function() apart(work, work) end)
   end
end

-- The data loader: JPEG pictures are decoded, scaled and cropped into a batch while the main thread trains.
local file = os.tmpname() .. '.jpg'
image.save(file, image.scale(torch.rand(3, 20, 25), 320, 256))
local function load()
   local batch = torch.FloatTensor(4, 3, 112, 112)
   for i = 1, 4 do
      local picture = image.scale(image.load(file, 3, 'float'), 160, 128)
      batch[i]:copy(image.crop(picture, 8, 8, 120, 120))
   end
   return batch
end
local weights, hidden = torch.rand(200, 200):float(), torch.rand(200, 200):float()
local products = 1
local function train()
   for _ = 1, products do hidden:mm(weights, weights):tanh() end
end
torch.setnumthreads(1)
-- Two threads gain most where both have as much to do.
local loading, product = typical(20, load), typical(20, train)
products = math.max(1, math.floor(loading / product + 0.5))
local BATCHES = 40
local loader = threads.Threads(1, function() require 'image' end)
children:exec "require 'image'"
local function load_all() for _ = 1, BATCHES do load() end end
local function train_all() for _ = 1, BATCHES do train() end end
if has 'data loader of JPEG pictures' then
   compare('data loader of JPEG pictures', function()
      for _ = 1, BATCHES do
         loader:addjob(load, train)
         loader:synchronize()
      end
   end, function()
      for _ = 1, BATCHES do loader:addjob(load, train) end
      loader:synchronize()
   end, function() apart_sequential(load_all, train_all) end, function() apart(load_all, train_all) end)
end
parallel.close()
os.remove(file)
