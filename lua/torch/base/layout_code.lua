-- Copies of elements of one size between layouts of up to four loops, as machine code. See
-- docs/decisions/0031-copies-between-layouts.md.
--
--    layout_code(size)    a function of a t7_nest that copies elements of `size` bytes; nil where no such code can run
--    layout_code(0)       the same for an innermost loop over neighbors, whose count is one of bytes

local assembler, types = require 'torch.native.assembler', require 'torch.base.types'

-- The fields of a t7_nest, see memory_chunks.lua.
local WORD, COUNTS, TO_NEXT, FROM_NEXT = 8, 16, 48, 80

local RAX, RCX, RBX, RBP, RDI, TO, FROM, TO_STEP, FROM_STEP = 0, 1, 3, 5, 7, 8, 9, 10, 11
local COUNTERS = { RBX, RBP, 12 }
local VECTOR = 32

local function neighbors(code)
   for _, size in ipairs { VECTOR, 8, 1 } do
      code:repeatedly(RCX, size, function()
         if size == VECTOR then
            code:load(0, { base = FROM })
            code:store(0, { base = TO })
         else
            code:get_element(RAX, FROM, size)
            code:set_element(TO, RAX, size)
         end
         code:with_number('add', FROM, size)
         code:with_number('add', TO, size)
      end)
   end
end

local function elements(code, size)
   local again = code:place {}
   code:get_element(RAX, FROM, size)
   code:set_element(TO, RAX, size)
   code:increase(FROM, FROM_STEP)
   code:increase(TO, TO_STEP)
   code:with_number('subtract', RCX, 1)
   code:jump('jnz', again)
end

-- Loop k around loop k - 1.
local function loop(code, k, size)
   if k == 0 then
      code:get(RCX, RDI, COUNTS)
      if size == 0 then neighbors(code) else elements(code, size) end
      return
   end
   local counter = COUNTERS[k]
   code:get(counter, RDI, COUNTS + k * WORD)
   local again = code:place {}
   loop(code, k - 1, size)
   code:increase(FROM, { base = RDI, offset = FROM_NEXT + k * WORD })
   code:increase(TO, { base = RDI, offset = TO_NEXT + k * WORD })
   code:with_number('subtract', counter, 1)
   code:jump('jnz', again)
end

return function(size)
   if not assembler.possible() then return nil end
   local code = assembler.new(types.by_name.Double)
   code:keep(COUNTERS)
   code:get(TO, RDI, 0)
   code:get(FROM, RDI, WORD)
   code:get(TO_STEP, RDI, TO_NEXT)
   code:get(FROM_STEP, RDI, FROM_NEXT)
   loop(code, #COUNTERS, size)
   code:leave(COUNTERS)
   return code:finish()
end
