-- Backward passes of batch normalisation over a plane as machine code, with the arguments of a loop of NumPy. See
-- docs/decisions/0028-vector-code.md.
--
--    sums(T)        the sum of gradients and that of their products with inputs less a number: args are the inputs, the
--                   gradients, the number and two doubles for the sums; dims[0] elements
--    gradient(T)    r = (x - n[0]) n[2] + n[3] + g n[1]: args are x, g, n and r; dims[0] images of steps[1] elements,
--                   steps[0] bytes apart
-- nil where no such code can run.

local assembler = require 'torch.native.assembler'

local batch_code = {}

-- General registers: arguments, and values that stay for a whole call.
local X, G, NUMBERS, TO, COUNT, RDI, RSI, RDX = 8, 9, 10, 11, 6, 7, 6, 2
local FIRST_NUMBER = 12

local function begin(T)
   local code = assembler.new(T)
   for k = 0, 3 do code:get(X + k, RDI, 8 * k) end
   return code
end

-- The sum of the elements of a register, as a double in memory; register 5 is free.
local function fold(code, r, to)
   if code.T.size == 4 then
      code:upper_half(r, 5, 1)
      code:widen(5, 5)
      code:widen(r, r)
      code:add_doubles(r, r, 5)
   end
   code:upper_half(r, 5, 1)
   code:add_doubles(r, r, 5)
   code:upper_double(5, r, r)
   code:add_double(r, r, 5)
   code:store_double(r, to)
end

function batch_code.sums(T)
   if not assembler.possible() then return nil end
   local code, size = begin(T), T.size
   code:get(COUNT, RSI, 0)
   code:spread(FIRST_NUMBER, { base = NUMBERS })
   for r = 0, 3 do code:clear(r, r, r) end
   -- A vector, or an element beside zeros.
   local function add(instruction, k)
      code[instruction](code, 4, { base = G, offset = 32 * k })
      code[instruction](code, 5, { base = X, offset = 32 * k })
      code:subtract(5, 5, FIRST_NUMBER)
      code:add(k, k, 4)
      code:add_product(2 + k, 5, 4)
   end
   local function advance(bytes)
      code:with_number('add', X, bytes)
      code:with_number('add', G, bytes)
   end
   code:repeatedly(COUNT, 64 / size, function()
      add('load', 0)
      add('load', 1)
      advance(64)
   end)
   code:repeatedly(COUNT, 32 / size, function()
      add('load', 0)
      advance(32)
   end)
   code:repeatedly(COUNT, 1, function()
      add('load_one', 0)
      advance(size)
   end)
   code:add(0, 0, 1)
   code:add(2, 2, 3)
   fold(code, 0, { base = TO })
   fold(code, 2, { base = TO, offset = 8 })
   code:leave()
   return code:finish()
end

function batch_code.gradient(T)
   if not assembler.possible() then return nil end
   local code, kept = begin(T), { 3, 5 }
   local images, area, step, x, g, to = kept[1], kept[2], RDI, 0, 1, RDX
   code:keep(kept)
   code:get(images, RSI, 0)
   code:get(step, RDX, 0)
   code:get(area, RDX, 8)
   for k = 0, 3 do code:spread(FIRST_NUMBER + k, { base = NUMBERS, offset = k * T.size }) end
   local function each(load, store, count)
      code:repeatedly(COUNT, count, function()
         code[load](code, 0, { base = x })
         code[load](code, 1, { base = g })
         code:subtract(0, 0, FIRST_NUMBER)
         code:multiply_add(0, FIRST_NUMBER + 2, FIRST_NUMBER + 3)
         code:add_product(0, 1, FIRST_NUMBER + 1)
         code[store](code, 0, { base = to })
         for _, pointer in ipairs { x, g, to } do code:with_number('add', pointer, count * T.size) end
      end)
   end
   code:repeatedly(images, 1, function()
      code:copy(x, X)
      code:copy(g, G)
      code:copy(to, TO)
      code:copy(COUNT, area)
      each('load', 'store', 32 / T.size)
      each('load_one', 'store_one', 1)
      for _, pointer in ipairs { X, G, TO } do code:increase(pointer, step) end
   end)
   code:leave(kept)
   return code:finish()
end

return batch_code
