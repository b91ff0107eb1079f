-- What jobs cost, and how much faster two threads are than one: t7 benchmarks/thread_pools.lua. It needs two idle
-- cores: where other programs run, the loops of Lua, which share nothing, are not twice as fast on two threads either.
-- The same work is timed in turn, and the best of several runs counts.

require 'image'
local threads = require 'threads'
threads.Threads.serialization 'threads.sharedserialize'

local function seconds(f)
   local timer = torch.Timer()
   f()
   return timer:time().real
end

-- The least seconds of each function, called in turn.
local function best(runs, ...)
   local functions, least = { ... }, {}
   for _ = 1, runs do
      for i, f in ipairs(functions) do least[i] = math.min(least[i] or math.huge, seconds(f)) end
   end
   return unpack(least)
end

local one, two = threads.Threads(1), threads.Threads(2)

local function jobs(pool, count, f, ...)
   for _ = 1, count do pool:addjob(f, nil, ...) end
   pool:synchronize()
end

local function empty() end
local in_batches, trip = best(20, function() jobs(two, 200, empty) end, function()
   for _ = 1, 50 do jobs(two, 1, empty) end
end)
print(('%-36s %8.1f us'):format('empty job, in batches', in_batches / 200 * 1e6))
print(('%-36s %8.1f us'):format('empty job, there and back', trip / 50 * 1e6))
local large = torch.rand(1000000)
local shared = best(20, function() jobs(two, 50, function() return large:size(1) end) end)
print(('%-36s %8.1f us'):format('job that shares 8 MB', shared / 50 * 1e6))

local works = {
   ['loops of Lua'] = function()
      local s = 0
      for i = 1, 1e8 do s = s + i % 7 end
      return s
   end,
   ['products of 10x10'] = function()
      local a, b, c = torch.rand(10, 10), torch.rand(10, 10), torch.rand(10, 10)
      for _ = 1, 500000 do c:mm(a, b) end
   end,
   ['10x10: mm, add, sum, index'] = function()
      local a, b, s = torch.rand(10, 10), torch.rand(10, 10), 0
      for _ = 1, 100000 do
         local c = a * b
         c:add(1)
         s = s + c[1][1] + c:sum()
      end
   end,
   ['300x300: mm, tanh'] = function()
      local a, b = torch.rand(300, 300), torch.rand(300, 300)
      for _ = 1, 20 do
         b:mm(a, a)
         b:tanh()
      end
   end,
}
for name, work in pairs(works) do
   local alone, both = best(9, function() jobs(one, 2, work) end, function() jobs(two, 2, work) end)
   print(('%-36s %8.2f times as fast on two threads'):format(name, alone / both))
end

-- The data loader: JPEG pictures are decoded, scaled and cropped into a batch while the main thread trains.
local file = os.tmpname() .. '.jpg'
image.save(file, image.scale(torch.rand(3, 20, 25), 320, 256))
local function load()
   local batch = torch.FloatTensor(8, 3, 112, 112)
   for i = 1, 8 do
      local picture = image.scale(image.load(file, 3, 'float'), 160, 128)
      batch[i]:copy(image.crop(picture, 8, 8, 120, 120))
   end
   return batch
end
local weights, hidden = torch.rand(400, 400):float(), torch.rand(400, 400):float()
local products = 1
local function train()
   for _ = 1, products do hidden:mm(weights, weights):tanh() end
end
torch.setnumthreads(1)
-- Two threads gain most where both have as much to do: no more than what both take over what the longer one takes.
local loading, product = best(20, load, train)
products = math.max(1, math.floor(loading / product + 0.5))
local BATCHES = 40
local loader = threads.Threads(1, function() require 'image' end)
local in_turn, meanwhile, training = best(5, function()
   for _ = 1, BATCHES do
      load()
      train()
   end
end, function()
   for _ = 1, BATCHES do loader:addjob(load, train) end
   loader:synchronize()
end, function()
   for _ = 1, BATCHES do train() end
end)
local most = in_turn / math.max(training, in_turn - training)
print(('%-36s %8.2f times the throughput, at most %.2f; %.1f ms a batch in turn'):format(
   'data loader of JPEG pictures', in_turn / meanwhile, most, in_turn / BATCHES * 1e3))
os.remove(file)
