-- The element types, one row each, and the C types that are made of a row.

local ipairs, require = ipairs, require
local ffi = require 'ffi'
-- Before all other modules, which it finds.
require 'torch.jit.loader'

local types = {}

-- name: as in torch.<name>Tensor; c: C type of an element; dtype: NumPy's name; code: NumPy's letter in
-- ufunc signatures; integer, unsigned; arithmetic: false where Torch7 only stores and converts.
types.rows = {
   { name = 'Double', c = 'double', size = 8, dtype = 'float64', code = 'd', arithmetic = true },
   { name = 'Float', c = 'float', size = 4, dtype = 'float32', code = 'f', arithmetic = true },
   { name = 'Long', c = 'int64_t', size = 8, dtype = 'int64', code = 'l', integer = true, arithmetic = true },
   { name = 'Byte', c = 'uint8_t', size = 1, dtype = 'uint8', code = 'B', integer = true, unsigned = true,
     arithmetic = true },
   { name = 'Int', c = 'int32_t', size = 4, dtype = 'int32', code = 'i', integer = true, arithmetic = true },
   { name = 'Char', c = 'int8_t', size = 1, dtype = 'int8', code = 'b', integer = true, arithmetic = true },
   { name = 'Short', c = 'int16_t', size = 2, dtype = 'int16', code = 'h', integer = true, arithmetic = true },
   { name = 'Half', c = 'uint16_t', size = 2, dtype = 'float16', code = 'e' },
}

types.by_name = {}          -- 'Double' -> row
types.by_typename = {}      -- 'torch.DoubleTensor' and 'torch.DoubleStorage' -> row
-- types.default is the row of torch.Tensor.

-- Sizes, strides and offsets are doubles so that reading one gives a Lua number. A header is what tensors and
-- storages share: `_data` points to the elements, in the LuaJIT heap behind the header, or in a block outside it
-- whose base is `_block`. A small tensor that was made with elements holds their header in `_own`; others look at a
-- memory object. `_anchor` is the tensor's slot, see memory/slots.lua. A storage is a handle. Sizes and
-- strides of up to four dimensions live inside the tensor. `_layout` is a number for the sizes of a contiguous tensor,
-- and `_count` is then the number of its elements, see geometry.lua; 0 says nothing. `_flags` is no double: compiled
-- code need not read it again after a number was stored.
local declarations = [[
typedef struct { $c *_data; double _size, _capacity; int32_t _flags; double _block; } t7_$nHeader;
typedef struct { t7_$nHeader _header; double _anchor; $c _own[?]; } t7_$nMemory;
]]
local object_declarations = [[
typedef struct { t7_$hHeader *_memory; } t7_$nStorage;
typedef struct {
   double _anchor; t7_$hHeader *_memory; double _offset, _dim, _layout, _count, *_size, *_stride, _inline[8];
   char _own[?];
} t7_$nTensor;
]]

-- Gives a row the C types of its objects, and enters it by their names.
local function name_objects(T)
   T.storage_ct = ffi.typeof('t7_' .. T.title .. 'Storage')
   T.tensor_ct = ffi.typeof('t7_' .. T.title .. 'Tensor')
   T.tensor_name, T.storage_name = 'torch.' .. T.title .. 'Tensor', 'torch.' .. T.title .. 'Storage'
   types.by_name[T.title] = T
   types.by_typename[T.tensor_name], types.by_typename[T.storage_name] = T, T
end

for index, T in ipairs(types.rows) do
   T.index = index
   ffi.cdef((declarations:gsub('$c', T.c):gsub('$n', T.name)))
   ffi.cdef((object_declarations:gsub('$[hn]', T.name)))
   T.integer, T.unsigned, T.arithmetic = T.integer or false, T.unsigned or false, T.arithmetic or false
   T.memory_ct = ffi.typeof('t7_' .. T.name .. 'Memory')
   T.pointer_ct = ffi.typeof(T.c .. '*')
   T.header_ct = ffi.typeof('t7_' .. T.name .. 'Header *')
   T.title = T.name
   name_objects(T)
end

-- Types of other devices: rows over the memory of a type above, with objects of their own. `title` is what their names
-- begin with; `name`, as all else, is that of the type below, by which kernels are chosen. They are declared when a
-- program first names one, see dispatch/devices.lua.
types.device_rows = {
   { title = 'Cuda', below = 'Float' }, { title = 'CudaDouble', below = 'Double' },
   { title = 'CudaHalf', below = 'Half' }, { title = 'CudaLong', below = 'Long' },
   { title = 'CudaInt', below = 'Int' }, { title = 'CudaShort', below = 'Short' },
   { title = 'CudaChar', below = 'Char' }, { title = 'CudaByte', below = 'Byte' },
}

-- Find the row of an object of another device; false until there are such rows.
local device_tensor, device_storage = false, false

-- Makes a function that finds the row of an object by the C types in a field, without a loop.
local function finder(field)
   local lines = { 'local istype, rows, field = ...' }
   for i = 1, #types.device_rows do lines[i + 1] = ('local T%d, c%d = rows[%d], rows[%d][field]'):format(i, i, i, i) end
   lines[#lines + 1] = 'return function(x)'
   for i = 1, #types.device_rows do lines[#lines + 1] = ('if istype(c%d, x) then return T%d end'):format(i, i) end
   lines[#lines + 1] = 'end'
   return loadstring(table.concat(lines, '\n'), '=t7 devices')(ffi.istype, types.device_rows, field)
end

function types.declare_devices()
   for _, T in ipairs(types.device_rows) do
      local base = types.by_name[T.below]
      for _, key in ipairs { 'name', 'c', 'size', 'dtype', 'code', 'index', 'integer', 'unsigned', 'arithmetic',
         'memory_ct', 'pointer_ct', 'header_ct' } do
         T[key] = base[key]
      end
      T.base, base.on_device = base, T
      ffi.cdef((object_declarations:gsub('$h', T.name):gsub('$n', T.title)))
      name_objects(T)
   end
   device_tensor, device_storage = finder 'tensor_ct', finder 'storage_ct'
end

-- The metatables of C types by their numbers; FFI sets one for good.
local metatables = {}

-- Sets the metatable of a C type, also again after the definition of its type failed, and returns it.
function types.metatype(ctype, metatable)
   local id = tonumber(ctype)
   local bound = metatables[id]
   if not bound then
      ffi.metatype(ctype, metatable)
      metatables[id] = metatable
      return metatable
   end
   for name in next, bound do bound[name] = nil end
   for name, f in next, metatable do bound[name] = f end
   return bound
end

types.default = types.by_name.Double

local istype = ffi.istype
local Double, Float, Long, Byte = types.by_name.Double, types.by_name.Float, types.by_name.Long, types.by_name.Byte
local Int, Char, Short, Half = types.by_name.Int, types.by_name.Char, types.by_name.Short, types.by_name.Half
local double_t, float_t, long_t, byte_t = Double.tensor_ct, Float.tensor_ct, Long.tensor_ct, Byte.tensor_ct
local int_t, char_t, short_t, half_t = Int.tensor_ct, Char.tensor_ct, Short.tensor_ct, Half.tensor_ct
local double_s, float_s, long_s, byte_s = Double.storage_ct, Float.storage_ct, Long.storage_ct, Byte.storage_ct
local int_s, char_s, short_s, half_s = Int.storage_ct, Char.storage_ct, Short.storage_ct, Half.storage_ct

-- The row of a tensor, nil for anything else. Unrolled, so that it compiles to one comparison.
function types.of_tensor(x)
   if istype(double_t, x) then return Double end
   if istype(float_t, x) then return Float end
   if istype(long_t, x) then return Long end
   if istype(byte_t, x) then return Byte end
   if istype(int_t, x) then return Int end
   if istype(char_t, x) then return Char end
   if istype(short_t, x) then return Short end
   if istype(half_t, x) then return Half end
   if device_tensor then return device_tensor(x) end
end

-- The row of a storage, nil for anything else.
function types.of_storage(x)
   if istype(long_s, x) then return Long end
   if istype(double_s, x) then return Double end
   if istype(float_s, x) then return Float end
   if istype(byte_s, x) then return Byte end
   if istype(int_s, x) then return Int end
   if istype(char_s, x) then return Char end
   if istype(short_s, x) then return Short end
   if istype(half_s, x) then return Half end
   if device_storage then return device_storage(x) end
end

return types
