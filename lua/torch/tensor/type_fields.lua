-- The parts of an element type, and the fields that each writes into its row T, besides those of base/types.lua. A
-- part is a module that returns function(T), loaded for each type; it may read the fields of earlier parts.

local error, next, rawget = error, next, rawget
local format, gmatch = string.format, string.gmatch
local specialise = require('torch.jit.loader').specialise

local type_fields = {}

type_fields.fields = {
   -- Storages: the fields of T.storage_methods.
   storage_methods = 'wrap_storage storage_operators',
   -- new_tensor() is empty; new_owner(count) has memory, no sizes; alias(t) is a view of t;
   -- new_small(t, layout), new_like(t), new_contiguous(list), new_vector(count, spare) have sizes.
   make = 'new_tensor new_owner shared_owner alias SMALL new_small new_like new_contiguous new_vector',
   -- Sizes of tensors: of a list, up to four numbers, or another tensor; T.resized and T.new_matrix make new ones.
   resize = 'resize_as set_four set_sizes resize_to resized new_matrix',
   -- shares(t, u) tells whether they alias; snapshot(t, target) may be read while target is written.
   tensor_methods = 'check_self shares snapshot set_tensor tensor_operators',
   from_table = '',
   -- dimension(t, method, d) is d - 1, checked.
   properties = 'dimension',
   -- Views without checks, by indices from 0: (t, d, i), (t, d, first, count), (t, d, e).
   view = 'select_view narrow_view swapped',
   -- contiguous(t) is t or a copy; copy_from(t, S, source) copies; result(r, made) is made, or r with its sizes and
   -- elements.
   copy = 'contiguous clone fill copy_from result',
   shape = '',
   reshape = '',
   apply = '',
}

local made_by = {}        -- field -> part
for part, fields in next, type_fields.fields do
   for field in gmatch(fields, '%S+') do
      if made_by[field] then error(format('T.%s has two parts: %s and %s', field, made_by[field], part)) end
      made_by[field] = part
   end
end

-- Makes a part of a type: the result of its function(T), which gets the methods table and the metatable, if given, to
-- add to them. Afterwards exactly the fields of the part are present.
function type_fields.make(part, T, methods, metatable)
   local before = {}
   for field in next, T do before[field] = true end
   local made = specialise('torch.tensor.' .. part, T)
   if methods then made(methods, metatable) end
   for field in next, T do
      if not before[field] and not made_by[field] then
         error(format('tensor/type_fields.lua: %s writes T.%s, which is not listed', part, field))
      end
   end
   for field in gmatch(type_fields.fields[part], '%S+') do
      if rawget(T, field) == nil then error(format('tensor/type_fields.lua: %s does not write T.%s', part, field)) end
   end
   return made
end

return type_fields
