-- The derivatives of operations: rows of the files of derivatives/, one for each row of torch/ops/ and for each method
-- of tensors without a row. A row is { name, case, ... }, a case { signature, gradients by the name of the argument }.
--
-- Signatures are those of torch/base/signatures.lua without results; '...' stands for any further arguments, which
-- `all` holds with those before it. Arguments are named by their letters: tensors x, y, z; numbers v, u, w; whole
-- numbers n, n2; dimensions d; LongTensors index; ByteTensors mask; tables list; strings s, s2, s3; booleans b, b2, b3;
-- keepdim keep.
--
-- A gradient is a text, an expression or statements with `return`: `g` is the gradient at the result, `out` the
-- result, `more` the second result. It is written with the functions of formulas/, which take tensors, numbers and
-- Values alike, so that it has a derivative itself. false means a gradient of 0. The gradient of a list is a list.
--
-- Fields of a row: `constant`, the result does not change with the arguments; `none`, why there is no derivative;
-- `view`, the result is a view of x; `changes`, torch's operation changes x itself, and the one here a copy; `forward`,
-- the function; `parts`, how many results have a gradient, of which g and out are lists, or 'list' for a table.

local floor, format, ipairs, type = math.floor, string.format, ipairs, type
local signatures, types = require 'torch.base.signatures', require 'torch.base.types'
local of_tensor, of_storage = types.of_tensor, types.of_storage
local loader = require 'torch.jit.loader'

local records = { by_name = {} }

local KINDS = { n = 1, t = 2, L = 3, B = 4, s = 5, b = 6, T = 7, S = 8, o = 15 }
local by_letter = { v = 'n', n = 'n', d = 'n', t = 't', L = 'L', B = 'B', s = 's', b = 'b', k = 'b', T = 'T', S = 'S' }
local lua_kinds = { number = KINDS.n, string = KINDS.s, boolean = KINDS.b, table = KINDS.T }
local names = { v = 'v u w', n = 'n n2', d = 'd d2', t = 'x y z', L = 'index', B = 'mask', s = 's s2 s3',
   b = 'b b2 b3', k = 'keep', T = 'list', S = 'sizes' }

-- The kind of an argument, a hexadecimal digit; those of a call are one number.
function records.kind(x)
   local kind = lua_kinds[type(x)]
   if kind then return kind end
   local T = of_tensor(x)
   if T then return T.name == 'Long' and KINDS.L or T.name == 'Byte' and KINDS.B or KINDS.t end
   return of_storage(x) and KINDS.S or KINDS.o
end

local function name_slots(slots)
   local counts = {}
   for _, slot in ipairs(slots) do
      local letter = slot.letter
      counts[letter] = (counts[letter] or 0) + 1
      local k = 0
      for name in string.gmatch(names[letter], '%S+') do
         k = k + 1
         if k == counts[letter] then slot.name = name end
      end
   end
end

-- The function(g, out, more, a) of a formula, where `a` has the arguments of a call.
local function compile(label, formula, head)
   local body = string.find(formula, 'return') and formula or 'return ' .. formula
   local chunk = assert(loadstring('return function(g, out, more, a)\n' .. head .. body .. '\nend', '=t7 ' .. label))
   return setfenv(chunk, require 'autograd.formulas')()
end

-- A use of a case: which argument has which name. Formulas are compiled when they are first needed.
local function new_use(record, case, slots, given)
   local left, right, positions, kinds = {}, {}, {}, { }
   for i, slot in ipairs(slots) do
      left[i] = slot.name
      if given[i] then
         kinds[#kinds + 1] = slot.letter
         right[i] = format('a[%d]', #kinds)
         positions[#kinds] = slot.name
      else
         right[i] = slot.default or 'nil'
      end
   end
   left[#left + 1], right[#right + 1] = 'all', 'a'
   local use = { record = record, positions = positions, gradients = {} }
   local head = format('local %s = %s\n', table.concat(left, ', '), table.concat(right, ', '))
   -- The gradient by the argument at a position: a function, false for 0, or nil if there is none.
   function use.gradient(position)
      local f = use.gradients[position]
      if f == nil then
         -- Further arguments are sizes, indices and the like.
         local name, formula = positions[position], false
         if name then formula = case[name] end
         f = formula and compile(record.name .. ' by ' .. name, formula, head) or formula
         use.gradients[position] = f
      end
      return f
   end
   return use, kinds
end

local function add_uses(record, case)
   local text, rest = string.gsub(case[1], '%s*%.%.%.$', '')
   local slots, groups = signatures.parse(text)
   name_slots(slots)
   for _, given in ipairs(signatures.choices(slots, groups)) do
      local use, letters = new_use(record, case, slots, given)
      local key = 0
      for _, letter in ipairs(letters) do key = key * 16 + KINDS[by_letter[letter]] end
      if rest > 0 then
         record.open[#record.open + 1] = { count = #letters, key = key, use = use }
      elseif not record.uses[key] then
         record.uses[key] = use
      end
   end
end

-- The use for arguments of these kinds; nil if no case fits.
function records.use(record, a, count)
   local key = 0
   for i = 1, count do key = key * 16 + records.kind(a[i]) end
   local use = record.uses[key]
   if use then return use end
   for _, open in ipairs(record.open) do
      if count >= open.count and floor(key / 16 ^ (count - open.count)) == open.key then return open.use end
   end
end

function records.declare(row)
   local record = { name = row[1], uses = {}, open = {} }
   for key, value in pairs(row) do
      if type(key) == 'string' then record[key] = value end
   end
   for i = 2, #row do add_uses(record, row[i]) end
   records.by_name[record.name] = record
   return record
end

for _, chapter in ipairs(loader.load 'autograd.derivatives.chapters') do
   for _, row in ipairs(loader.load('autograd.derivatives.' .. chapter)) do records.declare(row) end
end

return records
