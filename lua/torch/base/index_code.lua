-- Gather and scatter of elements as machine code, with the arguments of a NumPy loop: f(args, dims, steps, data). See
-- docs/decisions/0028-vector-code.md.
--
--    index_code.gather(T), index_code.scatter(T)      pointers; nil for types of other sizes than 4 and 8 bytes, and
--                                                     where no such code can run
--
-- args: addresses of the elements in order, of the indexed elements, and of the 64-bit indices, which are checked; the
-- code advances them. dims[0] rows. steps, in bytes: from row to row of the three, 0 to 2; per element and per index of
-- the second, 3 and 4; from element to element of the first, 5; and the number of elements of a row, 6.

local assembler = require 'torch.native.assembler'
local types = require 'torch.base.types'

local index_code = {}

local RAX, STRIDE, STEPS, COUNT, ARGS = 0, 1, 2, 6, 7
local IN_ORDER, INDEXED, INDICES, ROWS = 8, 9, 10, 11

local function make(size, puts)
   local code = assembler.new(types.by_name[size == 8 and 'Double' or 'Float'])
   local ordered, indexed = { base = IN_ORDER }, { base = RAX }
   code:get(ROWS, COUNT, 0)
   code:get(STRIDE, STEPS, 32)
   code:repeatedly(ROWS, 1, function()
      for k = 0, 2 do code:get(IN_ORDER + k, ARGS, 8 * k) end
      code:get(COUNT, STEPS, 48)
      code:repeatedly(COUNT, 1, function()
         code:get(RAX, INDICES, 0)
         code:multiply_by(RAX, STRIDE)
         code:increase(RAX, INDEXED)
         code:load_one(0, puts and ordered or indexed)
         code:store_one(0, puts and indexed or ordered)
         code:with_number('add', INDICES, 8)
         code:increase(IN_ORDER, { base = STEPS, offset = 40 })
         code:increase(INDEXED, { base = STEPS, offset = 24 })
      end)
      for k = 0, 2 do
         code:get(RAX, STEPS, 8 * k)
         code:increase_at(ARGS, 8 * k, RAX)
      end
   end)
   code:leave()
   return code:finish()
end

local made = {}

local function code_of(T, puts)
   if T.size ~= 4 and T.size ~= 8 or not assembler.possible() then return nil end
   local key = T.size + (puts and 1 or 0)
   if made[key] == nil then made[key] = make(T.size, puts) or false end
   return made[key] or nil
end

function index_code.gather(T) return code_of(T, false) end
function index_code.scatter(T) return code_of(T, true) end

return index_code
