-- The element types, one row each, and the C types derived from a row.

local ffi = require 'ffi'
-- Loaded first, since it finds all other modules.
require 'torch.jit.loader'

local types = {}

-- name: as in torch.<name>Tensor; c: C type of an element; dtype: NumPy's name; code: NumPy's letter in
-- ufunc signatures; integer, unsigned; arithmetic: false if Torch7 only stores and converts.
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

-- Sizes, strides and offsets are doubles: reading one gives a Lua number.

-- The header of a block of elements: `_data` points to them, in LuaJIT's heap after the header or in a block of base
-- `_block`. `_flags` is not a double, so that stores of numbers do not make compiled code reload it.
local header = 'typedef struct { $c *_data; double _size, _capacity; int32_t _flags; double _block; } t7_$nHeader;'

-- A header with the elements after it. `_anchor` is its slot, see memory/slots.lua.
local memory = 'typedef struct { t7_$nHeader _header; double _anchor; $c _own[?]; } t7_$nMemory;'
local declarations = header .. memory

local storage = 'typedef struct { t7_$hHeader *_memory; } t7_$nStorage;'

-- `_anchor` is the tensor's slot. Up to four sizes and strides are in `_inline`; for `_layout` and `_count` see
-- geometry.lua. A small tensor that was created with elements has its header in `_own`, others refer to a memory.
local tensor = [[typedef struct {
   double _anchor; t7_$hHeader *_memory; double _offset, _dim, _layout, _count, *_size, *_stride, _inline[8];
   char _own[?];
} t7_$nTensor;]]
local object_declarations = storage .. tensor

-- Gives a row the C types of its objects, and registers it under their names.
local function name_objects(T)
   T.storage_ct = ffi.typeof('t7_' .. T.title .. 'Storage')
   T.tensor_ct = ffi.typeof('t7_' .. T.title .. 'Tensor')
   T.tensor_name, T.storage_name = 'torch.' .. T.title .. 'Tensor', 'torch.' .. T.title .. 'Storage'
   types.by_name[T.title] = T
   types.by_typename[T.tensor_name], types.by_typename[T.storage_name] = T, T
end

for index, T in ipairs(types.rows) do
   T.index = index
   ffi.cdef((string.gsub(string.gsub(declarations, '$c', T.c), '$n', T.name)))
   ffi.cdef((string.gsub(object_declarations, '$[hn]', T.name)))
   T.integer, T.unsigned, T.arithmetic = T.integer or false, T.unsigned or false, T.arithmetic or false
   T.memory_ct = ffi.typeof('t7_' .. T.name .. 'Memory')
   T.pointer_ct = ffi.typeof(T.c .. '*')
   T.header_ct = ffi.typeof('t7_' .. T.name .. 'Header *')
   T.title = T.name
   name_objects(T)
end

-- Types of other devices: rows over the memory of the type `below`. `title` begins their type names; `name` and the
-- other fields are those of the base type, and select its kernels. dispatch/devices.lua declares them on first use.
types.device_rows = {
   { title = 'Cuda', below = 'Float' }, { title = 'CudaDouble', below = 'Double' },
   { title = 'CudaHalf', below = 'Half' }, { title = 'CudaLong', below = 'Long' },
   { title = 'CudaInt', below = 'Int' }, { title = 'CudaShort', below = 'Short' },
   { title = 'CudaChar', below = 'Char' }, { title = 'CudaByte', below = 'Byte' },
}

-- Functions that find the row of an object of another device by the field of its C type.
local device_finders = {}

-- Makes a function that finds the row of an object by a field of C types. Unrolled: it compiles to one comparison.
local function finder(field, rows)
   local head, body = { 'local istype, field, rows, device_finders = ...' }, {}
   for i in ipairs(rows) do
      head[i + 1] = string.format('local T%d, c%d = rows[%d], rows[%d][field]', i, i, i, i)
      body[i] = string.format('if istype(c%d, x) then return T%d end', i, i)
   end
   if rows == types.rows then
      body[#body + 1] = 'local find = device_finders[field] if find then return find(x) end'
   end
   local source = table.concat(head, '\n') .. '\nreturn function(x)\n' .. table.concat(body, '\n') .. '\nend'
   return loadstring(source, '=t7 types')(ffi.istype, field, rows, device_finders)
end

-- The row of a tensor, and that of a storage.
types.of_tensor, types.of_storage = finder('tensor_ct', types.rows), finder('storage_ct', types.rows)

function types.declare_devices()
   for _, T in ipairs(types.device_rows) do
      local base = types.by_name[T.below]
      for _, key in ipairs { 'name', 'c', 'size', 'dtype', 'code', 'index', 'integer', 'unsigned', 'arithmetic',
         'memory_ct', 'pointer_ct', 'header_ct' } do
         T[key] = base[key]
      end
      T.base, base.on_device = base, T
      ffi.cdef((string.gsub(string.gsub(object_declarations, '$h', T.name), '$n', T.title)))
      name_objects(T)
   end
   for _, field in ipairs { 'tensor_ct', 'storage_ct' } do device_finders[field] = finder(field, types.device_rows) end
end

-- The metatables of C types by number; the FFI allows each to be set only once.
local metatables = {}

-- Sets the metatable of a C type, also again after a failed definition of the type, and returns it.
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

return types
