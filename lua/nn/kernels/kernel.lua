-- The kernel interface of nn, through which its modules access tensor internals. Kernels work on pointers and on
-- buffers that are kept between calls. There is one set for Double and one for Float, each loaded separately, because
-- LuaJIT compiles a function per prototype.
--
-- How a module is written (see simple/Linear.lua, the example to follow):
--
--    local kernel, expect = require 'nn.kernels.kernel', require 'nn.checks.expect'
--    return function(Mine, parent)
--       function Mine:updateOutput(input)
--          local k = kernel.of(self, input)          -- the kernels for the input's type; an error for other types
--          ... check sizes with nn.checks.expect before a pointer is followed ...
--          local x = k.as_contiguous(input)           -- input itself, or a contiguous copy
--          local y = k.resize_as(self.output, input)  -- resized and contiguous
--          k.copy(k.ptr(y), k.ptr(x), k.numel(x) * k.SIZE)
--          k.keep_alive(x, y)                         -- pointers do not keep memory alive: name the tensors last
--          return y
--       end
--    end
--
-- Sizes are fields of a tensor: t._dim, t._size[d] and t._stride[d] with d from 0, as Lua numbers.
-- `kernel.load(file)` gives a function of k for the kernels of one module or chapter: the file, below lua/nn,
-- returns function(k) that gives a table, and is loaded once for each type. Everything that k has is listed
-- in kernel_api.lua.

local find, lower, tonumber, type = string.find, string.lower, tonumber, type
local lazy_table, loader = require 'torch.jit.lazy_table', require 'torch.jit.loader'
local types = require 'torch.base.types'
local errors, expect = require 'torch.base.errors', require 'nn.checks.expect'
local geometry = require 'torch.base.geometry'
local buffers, device_buffers = require 'torch.memory.buffers', require 'torch.memory.device_buffers'
local Double, Float = types.by_name.Double, types.by_name.Float
local ffi = require 'ffi'
local istype = ffi.istype
local double_t, float_t = Double.tensor_ct, Float.tensor_ct

local kernel = {}

-- Loads a file below lua/nn another time, so that its code is compiled separately.
local function fresh(file) return loader.load('nn.' .. file) end

local double, float

local function load_double()
   double = fresh 'kernels/kernel_api'(Double)
   return double
end

local function load_float()
   float = fresh 'kernels/kernel_api'(Float)
   return float
end

local of_device = {}       -- row of a type of another device -> its kernels

local function device_kernels(x)
   local T = types.of_tensor(x)
   if not T or not T.base or T.base ~= Double and T.base ~= Float then return nil end
   of_device[T] = of_device[T] or fresh 'kernels/kernel_api'(T)
   return of_device[T]
end

-- The kernels for the type of a tensor; nil for values that are neither a DoubleTensor nor a FloatTensor.
local function of_type(x)
   if istype(double_t, x) then return double or load_double() end
   if istype(float_t, x) then return float or load_float() end
   return types.by_name.Cuda and device_kernels(x)
end
kernel.of_type = of_type

-- The kernels for an input of a module: a DoubleTensor or FloatTensor, as the module is.
function kernel.of(module, x)
   local k = of_type(x)
   if device_buffers.active and k and k.T.base then device_buffers.count_fallback(expect.name(module)) end
   if k == nil then expect.argument_error(module, 'input', 'a DoubleTensor or FloatTensor', x) end
   local name = module._type
   if name ~= k.TYPE and name ~= nil then
      if type(name) ~= 'string' then expect.argument_error(module, '_type', 'the name of a type', name) end
      local is_of_device = find(name, 'torch.Cuda', 1, true) == 1
      expect.fail(module, 'input must be of type %s, as the module is (got %s); convert one of them with :type()%s',
         name, expect.describe(x), is_of_device and ', or read the file with t7 --load-cuda=' .. lower(k.T.name) or '')
   end
   return k
end

-- The kernels in a file below lua/nn that returns function(k), as a function of k.
function kernel.load(file)
   local made = lazy_table(function(k) return fresh(file)(k) end)
   return function(k) return made[k] end
end

-- The functions of a library in C whose names are `name`, an underscore and a type, by the kernels k of the type.
function kernel.functions(lib, name)
   return lazy_table(function(k) return lib[name .. '_' .. (k.T.base or k.T).name] end)
end

-- At the end of code that follows pointers: keeps tensors alive until here.
kernel.keep_alive = buffers.keep_alive

-- Whole numbers: indices and counts.
local Long, Int = types.by_name.Long, types.by_name.Int

-- The elements of a tensor as a contiguous LongTensor that nothing else modifies between check and use.
function kernel.indices(t) return Long.snapshot(t:long()) end

-- Pointers to the elements of a LongTensor or an IntTensor, which the caller has made contiguous.
local function pointer(T, t)
   if not istype(T.tensor_ct, t) then errors.raise('expected a %s (got %s)', T.tensor_name, expect.describe(t)) end
   return t._memory == nil and nil or t._memory._data + t._offset
end
function kernel.long_pointer(t) return pointer(Long, t) end
function kernel.int_pointer(t) return pointer(Int, t) end

-- The first element of a contiguous LongTensor outside of `low` to `high`; nil if there is none.
local index = require 'torch.native.kernels' 'index/index'
function kernel.first_outside(t, low, high)
   local from, n = kernel.long_pointer(t), geometry.numel(t)
   local at = tonumber(index.t7_find_outside(from, n, low, high))
   buffers.keep_alive(t)
   return at < n and tonumber(from[at]) or nil
end

return kernel
