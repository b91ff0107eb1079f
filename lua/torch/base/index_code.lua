-- Gather and scatter of elements as machine code, with the arguments of a NumPy loop: f(args, dims, steps, data). See
-- docs/decisions/0028-vector-code.md.
--
--    index_code(T, what, dense)      a pointer; nil for types of other sizes than 4 and 8 bytes, and where no such code
--                                    can run. `what` is 'gather', 'scatter' or 'add', which adds to the
--                                    indexed elements.
--
-- args: addresses of the elements in order, of the indexed elements, and of the 64-bit indices, which are checked; the
-- code advances them. dims[0] rows. steps, in bytes: from row to row of the three, 0 to 2; per element and per index of
-- the second, 3 and 4; from element to element of the first, 5; and the number of elements of a row, 6. `dense` code is
-- for contiguous elements in order and indices that count contiguous elements.

local assembler = require 'torch.native.assembler'
local types = require 'torch.base.types'

local RAX, STRIDE, STEPS, COUNT, ARGS = 0, 1, 2, 6, 7
local IN_ORDER, INDEXED, INDICES, ROWS = 8, 9, 10, 11

-- Elements per iteration of dense code.
local TURN = 4

local moves = {
   gather = function(code, ordered, indexed)
      code:load_one(0, indexed)
      code:store_one(0, ordered)
   end,
   scatter = function(code, ordered, indexed)
      code:load_one(0, ordered)
      code:store_one(0, indexed)
   end,
   add = function(code, ordered, indexed, T)
      code:load_one(0, indexed)
      if T.integer then
         code:load_one(1, ordered)
         code:add_bits(0, 0, 1)
      else
         code:add_one(0, 0, ordered)
      end
      code:store_one(0, indexed)
   end,
}

local function general_row(code, move, T)
   code:repeatedly(COUNT, 1, function()
      code:get(RAX, INDICES, 0)
      code:multiply_by(RAX, STRIDE)
      code:increase(RAX, INDEXED)
      move(code, { base = IN_ORDER }, { base = RAX }, T)
      code:with_number('add', INDICES, 8)
      code:increase(IN_ORDER, { base = STEPS, offset = 40 })
      code:increase(INDEXED, { base = STEPS, offset = 24 })
   end)
end

local function dense_row(code, move, T)
   for _, turn in ipairs { TURN, 1 } do
      code:repeatedly(COUNT, turn, function()
         for k = 0, turn - 1 do
            code:get(RAX, INDICES, 8 * k)
            move(code, { base = IN_ORDER, offset = k * T.size }, { base = INDEXED, index = RAX, scale = T.size }, T)
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
