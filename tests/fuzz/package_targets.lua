-- What there is to call in packages: their functions, those in tables of theirs, constructors of classes, and methods
-- of some objects. What a package gets later is in the list by itself.

local names = { 'image', 'audio', 'signal', 'unsup', 'hdf5', 'mpi', 'threads', 'tds', 'gm', 'optnet', 'iterm', 'inn',
   'cutorch', 'cudnn', 'optim', 'npy4th', 'matio', 'csvigo', 'cjson', 'randomkit', 'cephes', 'torchx', 'autograd' }

-- Left out: what waits for others, ends what later calls use, or measures for long.
local excluded = {}
for name in ([[_begin _pending wait lock synchronize synchronizeAll dojob pop push shutdown deviceReset stop start
   barrier benchmark test cudnn.convert lena fabio recv irecv send isend sendreceiveTensor specific
   terminate]]):gmatch '%S+' do
   excluded[name] = true
end

-- HDF5 refuses to empty a file that is still open.
local number = 0
local function hdf5_file()
   os.remove(('made%d.h5'):format(number - 9))
   number = number + 1
   local file = require 'hdf5'.open(('made%d.h5'):format(number), 'w')
   file:write('/a', torch.rand(3, 4))
   return file
end

-- Objects that methods are called with; a new one for each call.
local objects = {
   ['tds.Vec'] = function() return require 'tds'.Vec(1, 'a', 2) end,
   ['tds.Hash'] = function() return require 'tds'.Hash { a = 1, [2] = 'b' } end,
   ['tds.AtomicCounter'] = function() return require 'tds'.AtomicCounter() end,
   ['threads.Mutex'] = function() return require 'threads'.Mutex() end,
   ['threads.Condition'] = function() return require 'threads'.Condition() end,
   ['threads.AtomicCounter'] = function() return require 'threads'.AtomicCounter() end,
   ['gm.Image'] = function() return require 'gm'.Image(torch.rand(3, 4, 5), 'RGB', 'DHW') end,
   ['hdf5.HDF5File'] = function() return hdf5_file() end,
   ['hdf5.HDF5DataSet'] = function() return hdf5_file():read '/a' end,
   ['optim.ConfusionMatrix'] = function() return require 'optim'.ConfusionMatrix(3) end,
   ['unsup.LinearPSD'] = function() return require 'unsup'.LinearPSD(4, 3, 0.1, 1) end,
   ['cutorch.Tensor'] = function() return torch.CudaTensor(2, 3):fill(1) end,
}

local function sorted(t)
   local list = {}
   for key in pairs(t) do if type(key) == 'string' then list[#list + 1] = key end end
   table.sort(list)
   return list
end

local targets = {}

-- The rows of targets.lua.
local function add(label, name, call, make)
   targets[#targets + 1] = { label = label, name = name, kind = 'package', call = call, make = make }
end

local function add_table(label, t, depth, seen)
   seen[t] = true
   for _, key in ipairs(sorted(t)) do
      local value, metatable = t[key], type(t[key]) == 'table' and getmetatable(t[key])
      local full = label .. '.' .. key
      if excluded[key] or excluded[full] then value = nil end
      if type(value) == 'function' then
         for _ = 1, 3 do add(full, key, value) end
      elseif metatable and metatable.__call then
         add(full, key, function(...) return value(...) end)
      end
      if type(value) == 'table' and depth < 2 and not seen[value] then add_table(full, value, depth + 1, seen) end
   end
end

for _, name in ipairs(names) do
   -- Some need a library of Python.
   local there, package = pcall(require, name)
   if there and package ~= nn then add_table(name, package, 0, { [nn or false] = true }) end
end
for _, name in ipairs(sorted(objects)) do
   local make, found = objects[name], {}
   local there, object = pcall(make)
   local class = there and getmetatable(object)
   while type(class) == 'table' do
      local methods = type(class.__index) == 'table' and class.__index or class
      for key, f in pairs(methods) do if type(f) == 'function' then found[key] = found[key] or f end end
      for key, f in pairs(class) do
         if type(f) == 'function' and key:find '^__' and key ~= '__gc' then found[key] = found[key] or f end
      end
      local parent = getmetatable(class)
      class = parent ~= class and parent or nil
   end
   for _, key in ipairs(sorted(found)) do
      if not excluded[key] then add(name .. ':' .. key, key, found[key], make) end
   end
end

return targets
