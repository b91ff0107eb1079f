-- Elements moved by indices as machine code, with the arguments of a loop of NumPy: f(args, dims, steps, data). See
-- docs/decisions/0028-vector-code.md.
--
--    index_code(T, what, dense)      a pointer; nil for types of other sizes than 4 and 8 bytes, and where no such code
--                                    can run. `what` is 'gather', 'scatter' or 'add', which adds to what is there.
--
-- args: addresses of the elements in order, of those at indices, and of the indices, of 64 bits, which are right; they
-- are moved on. dims[0] rows. steps, in bytes: of the three from row to row, 0 to 2; of the second from element to
-- element, beside the index, and for one more of the index, 3 and 4; of the first from element to element, 5; and the
-- count of a row, 6. `dense` code is for elements in order that are neighbors and indices that count neighbors.

local assembler = require 'torch.native.assembler'
local types = require 'torch.base.types'

local RAX, STRIDE, STEPS, COUNT, ARGS = 0, 1, 2, 6, 7
local IN_ORDER, PLACES, INDICES, ROWS = 8, 9, 10, 11

-- Elements of a turn of dense code.
local TURN = 4

local moves = {
   gather = function(code, ordered, placed)
      code:load_one(0, placed)
      code:store_one(0, ordered)
   end,
   scatter = function(code, ordered, placed)
      code:load_one(0, ordered)
      code:store_one(0, placed)
   end,
   add = function(code, ordered, placed, T)
      code:load_one(0, placed)
      if T.integer then
         code:load_one(1, ordered)
         code:add_bits(0, 0, 1)
      else
         code:add_one(0, 0, ordered)
      end
      code:store_one(0, placed)
   end,
}

local function general_row(code, move, T)
   code:repeatedly(COUNT, 1, function()
      code:get(RAX, INDICES, 0)
      code:multiply_by(RAX, STRIDE)
      code:increase(RAX, PLACES)
      move(code, { base = IN_ORDER }, { base = RAX }, T)
      code:with_number('add', INDICES, 8)
      code:increase(IN_ORDER, { base = STEPS, offset = 40 })
      code:increase(PLACES, { base = STEPS, offset = 24 })
   end)
end

local function dense_row(code, move, T)
   for _, turn in ipairs { TURN, 1 } do
      code:repeatedly(COUNT, turn, function()
         for k = 0, turn - 1 do
            code:get(RAX, INDICES, 8 * k)
            move(code, { base = IN_ORDER, offset = k * T.size }, { base = PLACES, index = RAX, scale = T.size }, T)
         end
         code:with_number('add', INDICES, turn * 8)
         code:with_number('add', IN_ORDER, turn * T.size)
      end)
   end
end

local function make(T, what, dense)
   local code = assembler.new(types.by_name[T.size == 8 and 'Double' or 'Float'])
   code:get(ROWS, COUNT, 0)
   code:get(STRIDE, STEPS, 32)
   code:repeatedly(ROWS, 1, function()
      for k = 0, 2 do code:get(IN_ORDER + k, ARGS, 8 * k) end
      code:get(COUNT, STEPS, 48)
      if dense then dense_row(code, moves[what], T) else general_row(code, moves[what], T) end
      for k = 0, 2 do
         code:get(RAX, STEPS, 8 * k)
         code:increase_at(ARGS, 8 * k, RAX)
      end
   end)
   code:leave()
   return code:finish()
end

local made = {}

return function(T, what, dense)
   if T.size ~= 4 and T.size ~= 8 or not assembler.possible() then return nil end
   local key = ('%s %d %s %s'):format(what, T.size, dense, what == 'add' and T.integer)
   if made[key] == nil then made[key] = make(T, what, dense) or false end
   return made[key] or nil
end
