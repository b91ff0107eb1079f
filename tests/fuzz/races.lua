-- Operations on memory that another process or thread writes to meanwhile:
-- t7 races.lua <folder> <seconds> <process or thread> [case...]
--
-- The folder has files of COUNT elements: `places` (int64), `mask` (bytes), `doubles` and `floats`. They are mapped for
-- another process, and copied to tensors that a thread of a pool shares. `wrong` has a line for each: its name and the
-- bits of a wrong element as whole numbers.
-- At first all operations are right. Then errors may come, but the process goes on, and numbers are numbers.
-- stderr tells which operation runs.

local folder, seconds = arg[1], tonumber(arg[2])
require 'nn'
local optim = require 'optim'
local COUNT = 20000

local shared = {}

local function mapped(kind, name)
   local x = torch[kind .. 'Tensor'](torch[kind .. 'Storage'](folder .. name, true, COUNT))
   if arg[3] == 'thread' then x = x:clone() end
   shared[name:sub(2)] = x
   return x
end
local places, mask = mapped('Long', '/places'), mapped('Byte', '/mask')
local few, grid = places:narrow(1, 1, 20), places:view(200, 100)
local rows, long = torch.rand(100, 3), torch.rand(COUNT)

local function number(value) assert(type(value) == 'number', 'forged ' .. type(value)) end

local cases = {}

function cases.index()
   return rows:index(1, places), long:index(1, places), long:index(1, few), rows:index(1, few), rows:index(2, few)
end
function cases.put()
   rows:indexFill(1, few, 0)
   long:indexFill(1, places:narrow(1, 1, 500), 0)
   long:indexCopy(1, places:narrow(1, 1, 500), torch.ones(500))
   rows:indexAdd(1, few, torch.ones(20, 3))
end
function cases.gather()
   local wide = torch.rand(200, 100)
   return wide:gather(1, grid), wide:gather(2, grid), torch.rand(1, 20):gather(1, few:view(1, 20))
end
function cases.scatter()
   local wide = torch.zeros(200, 100)
   wide:scatter(1, grid, 1)
   wide:scatter(2, grid, torch.rand(200, 100))
   torch.zeros(1, 20):scatter(1, few:view(1, 20), 1)
end
function cases.masked()
   number(long:maskedSelect(mask):nElement())
   torch.zeros(COUNT):maskedFill(mask, 1)
   torch.zeros(COUNT):maskedCopy(mask, long)
   return torch.where(mask, long, 0), mask:nonzero()
end

local lookup, counted = nn.LookupTable(100, 3), nn.LookupTable(100, 3):scaleGradByFreq()
function cases.lookup()
   local gradient = torch.rand(COUNT, 3)
   for _, module in ipairs { lookup, counted } do
      module:forward(places)
      module:backward(places, gradient)
   end
end

local scores = torch.rand(COUNT, 4)
local function criterion(module, input, target)
   return function()
      number((module:forward(input, target)))
      module:backward(input, target)
   end
end
cases.nll = criterion(nn.ClassNLLCriterion(), scores, places)
cases.weighed_nll = criterion(nn.ClassNLLCriterion(torch.rand(4)), scores, places)
cases.spatial_nll = criterion(nn.SpatialClassNLLCriterion(), torch.rand(2, 4, 100, 100), places:view(2, 100, 100))
cases.margins = criterion(nn.MultiMarginCriterion(), scores, places)
cases.labels = criterion(nn.MultiLabelMarginCriterion(), torch.rand(200, 100), grid)
function cases.confusion()
   local matrix = optim.ConfusionMatrix(4)
   matrix:batchAdd(places, places)
   matrix:batchAdd(scores, places)
end
function cases.alias()
   torch.multinomialAlias(torch.LongTensor(100), { places, torch.rand(COUNT) })
end

-- Calls one after the other, of which any may be refused.
local function each_on_its_own(name, list)
   cases[name] = function()
      for i = 1, #list do
         local fine, reason = pcall(list[i])
         if not fine and tostring(reason):find 'forged' then error(reason, 0) end
      end
   end
end

require 'nnx'
require 'dpnn'
require 'rnn'
require 'stn'
local inn, pictures = require 'inn', require 'image'
local tree = nn.SoftMaxTree(3, { [5] = torch.LongTensor { 1, 2 }, [2] = torch.LongTensor { 3, 4 } }, 5)
local contrast = nn.NCEModule(3, 50, 4, torch.ones(50), 1)
local vectors, classes = torch.rand(40, 3), places:narrow(1, 1, 40)
each_on_its_own('classes', {
   function()
      tree:forward { vectors, classes }
      tree:backward({ vectors, classes }, torch.rand(40))
   end,
   function() contrast:backward({ vectors, classes }, contrast:forward { vectors, classes }) end,
   function() nn.OneHot(4):forward(places:narrow(1, 1, 2000)) end,
   function() nn.Index(1):forward { rows, few } end,
   function() nn.LookupTableMaskZero(100, 3):forward(places) end,
   function() nn.MaskedSelect():forward { long, mask } end,
   function() nn.SpatialConvolutionMap(classes:view(20, 2), 3, 3):forward(torch.rand(1, 9, 9)) end,
})

local unpooled, planes = torch.rand(1, 200, 200), torch.rand(1, 100, 200)
local pool = nn.SpatialMaxPooling(1, 2, 1, 2)
local unpool = nn.SpatialMaxUnpooling(pool)
function cases.unpooling()
   pool:forward(unpooled)
   pool.indices = places:view(1, 100, 200)
   unpool:forward(planes)
   unpool:backward(planes, unpooled)
   pool:updateGradInput(unpooled, planes)
end

for kind, name in pairs { Double = 'doubles', Float = 'floats' } do
   local x = mapped(kind, '/' .. name)
   local image = x:view(2, 100, 100)
   local function layer(module)
      module = module:type(x:type())
      return function()
         local y = module:forward(image)
         module:updateGradInput(image, y)
         number(y:storage()[1])
         -- Results that others write to as well.
         module.output = x.new(x:storage(), 1, y:size())
         module.gradInput = x.new(x:storage(), 1, image:size())
         module:forward(image)
         module:updateGradInput(image, y)
      end
   end
   cases['max_' .. name] = layer(nn.SpatialMaxPooling(2, 2, 2, 2))
   cases['large_max_' .. name] = layer(nn.SpatialMaxPooling(5, 5, 5, 5))
   cases['average_' .. name] = layer(nn.SpatialAveragePooling(2, 2, 2, 2))
   cases['large_average_' .. name] = layer(nn.SpatialAveragePooling(5, 5, 5, 5))
   cases['adaptive_' .. name] = layer(nn.SpatialAdaptiveAveragePooling(5, 5))
   cases['interpolation_' .. name] = layer(nn.SpatialUpSamplingBilinear { oheight = 100, owidth = 100 })
   cases['sorting_' .. name] = function()
      x:sort()
      x:narrow(1, 1, 20):sort()
      image:median(3)
      image:kthvalue(7, 3)
      image:mode(3)
      number((x:topk(3)[1]))
      number((x:topk(30, 1, true, true)[1]))
   end
   -- Positions, bins and weights that are computed from elements. Some of the right ones are refused, too.
   local picture, boxes = torch.rand(1, 100, 100):type(x:type()), x:narrow(1, 1, 100):view(20, 5)
   local function layer_on(make, input)
      local module = make:type(x:type())
      return function() module:backward(input, module:forward(input)) end
   end
   each_on_its_own('positions_' .. name, {
      function() pictures.warp(picture, image, 'bilinear', true) end,
      function() pictures.warp(picture, image, 'bicubic', false) end,
      function() pictures.y2jet(x:narrow(1, 1, 100)) end,
      layer_on(nn.BilinearSamplerBHWD(), { picture:view(1, 100, 100, 1), x:view(1, 100, 100, 2) }),
      layer_on(inn.ROIPooling(3, 3), { torch.rand(1, 2, 20, 20):type(x:type()), boxes }),
      layer_on(nn.SparseLinear(100, 3), x:view(COUNT / 2, 2):narrow(1, 1, 100)),
      function() nn.OneHot(4):type(x:type()):forward(x:narrow(1, 1, 2000)) end,
   })
   each_on_its_own('draws_' .. name, {
      function() number(x:histc(50)[1]) end,
      function() x:narrow(1, 1, 200):multinomial(50, true) end,
      function() image:select(1, 1):multinomial(3, true) end,
      function() x:narrow(1, 1, 50):multinomial(3) end,
      function() x:nonzero() end,
      function() torch.where(mask, x, x) end,
      layer_on(nn.SoftMax(), image),
      layer_on(nn.ArgMax(1), x:view(200, 100)),
      layer_on(inn.SpatialStochasticPooling(2, 2), x:view(1, 2, 100, 100)),
      function() nn.CrossEntropyCriterion():type(x:type()):forward(x:view(200, 100), x:narrow(1, 1, 200)) end,
   })
   cases['elements_' .. name] = function()
      for _ = 1, 1000 do number(x[1]) end
      for _ = 1, 1000 do number(x:storage()[1]) end
      x:narrow(1, 1, 200):apply(function(v) number(v) end)
      torch.rand(200):type(x:type()):map(x:narrow(1, 1, 200), function(_, v) number(v) end)
      number(x:narrow(1, 1, 1):totable()[1])
      for i = 1, 200 do number(image[1][1][i % 100 + 1]) end
   end
end

-- Writes right and wrong elements by turns, for times that no loop is in step with; returns a function that ends it.
local function write_in_a_thread()
   local threads = require 'threads'
   threads.serialization 'threads.sharedserialize'
   local ended, writer, wrong = threads.AtomicCounter(), threads.Threads(1), {}
   for line in io.lines(folder .. '/wrong') do wrong[#wrong + 1] = { line:match '^(%w+) (%w+)$' } end
   writer:addjob(function()
      local ffi, cells = require 'ffi', { doubles = 'int64_t *', places = 'int64_t *', floats = 'int32_t *',
         mask = 'uint8_t *' }
      local values, right = {}, {}
      for i, row in ipairs(wrong) do
         -- The bits have 64 digits at most, which a number of Lua cannot hold.
         values[i] = ffi.cast('int64_t', loadstring('return ' .. row[2] .. 'ULL')())
         right[i] = ffi.cast(cells[row[1]], shared[row[1]]:data())[0]
      end
      local function write(name, from, value)
         local p = ffi.cast(cells[name], shared[name]:data())
         for i = from, shared[name]:size(1) - 1 do p[i] = value end
      end
      while ended:get() == 0 do
         local k = math.random(#wrong)
         for _ = 1, math.random(20) do
            write(wrong[k][1], math.random() < 0.5 and 0 or math.random(shared.mask:size(1)) - 1, values[k])
            for _ = 1, math.random(30000) do values[0] = nil end
            write(wrong[k][1], 0, right[k])
            for _ = 1, math.random(60000) do values[0] = nil end
         end
      end
   end)
   return function()
      ended:inc()
      writer:terminate()
   end
end

local names = { unpack(arg, 4) }
if #names == 0 then
   for name in pairs(cases) do names[#names + 1] = name end
   table.sort(names)
end
for _, name in ipairs(names) do cases[name]() end
print 'ready'
io.stdout:flush()
io.stdin:read()
local finish = arg[3] == 'thread' and write_in_a_thread()
local refused = 0
for _, name in ipairs(names) do
   io.stderr:write(name, '\n')
   local most = os.clock() + seconds
   repeat
      local fine, reason = pcall(cases[name])
      if not fine then refused = refused + 1 end
      if not fine and tostring(reason):find 'forged' then print(name, reason) end
   until os.clock() > most
end
if finish then finish() end
-- What nobody wrote to was not tested.
print(refused > 0 and 'done' or 'no operation saw another element')
