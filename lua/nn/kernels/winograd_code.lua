-- Machine code of the steps of winograd_programs.lua: one pass over memory, with all rows in registers. The functions
-- are of a t7_nn_steps; they are NULL where there is no machine code.

local assembler, winograd_programs = require 'torch.native.assembler', require 'nn.kernels.winograd_programs'

local ffi = require 'ffi'

-- Rows of `from` and `to` are steps apart: one, three and five of them. There are `count` whole vectors and, if `mask`
-- is not NULL, a partial one.
ffi.cdef [[
typedef struct {
   char *from, *to; intptr_t from_step, from_step3, from_step5, to_step, to_step3, to_step5, count; char *mask;
} t7_nn_steps;
]]

local RAX, RCX, RDX, RBX, RBP, RSI, RDI = 0, 1, 2, 3, 5, 6, 7
local SAVED, MASK = { RBX, RBP, 12, 13, 14 }, 15
local FROM_STEPS, TO_STEPS = { RDX, RBX, RBP }, { 12, 13, 14 }
local VECTOR = 32

-- Row i of memory at a register, with the steps in three others.
local function row(base, steps, i)
   local index = ({ [0] = nil, steps[1], steps[1], steps[2], steps[1], steps[3] })[i]
   return { base = base, index = index, scale = i == 2 and 2 or i == 4 and 4 or 1 }
end

-- Registers of a program, by the names of its rows; its rows of the source that are read.
local function registers_of(steps)
   local registers, sources, count = {}, {}, 0
   local function name(text, read)
      if winograd_programs.constants[text] or text == '' then return end
      if not registers[text] then
         registers[text], count = count, count + 1
         if read and text:find '^x' then sources[#sources + 1] = text end
      end
   end
   for _, step in ipairs(steps) do
      name(step[3], true)
      name(step[4], true)
      name(step[2])
   end
   return registers, sources
end

local function compile(T, steps)
   local code, registers, sources = assembler.new(T), registers_of(steps)
   local function operand(name)
      local constant = winograd_programs.constants[name]
      return constant and code:number(constant, T.c) or registers[name]
   end
   local function rows(some)
      for _, name in ipairs(sources) do
         local from, d = row(RAX, FROM_STEPS, tonumber(name:sub(2))), registers[name]
         if some then code:load_some(d, MASK, from) else code:load(d, from) end
      end
      for _, step in ipairs(steps) do
         local d, x = registers[step[2]], registers[step[3]]
         if step[1] == 'copy' then code:move(d, x) else code[step[1]](code, d, x, operand(step[4])) end
      end
      for i = 0, 5 do
         local name = steps.stored[i + 1]
         local to = row(RCX, TO_STEPS, i)
         if name and some then code:store_some(registers[name], MASK, to)
         elseif name then code:store(registers[name], to) end
      end
   end
   code:keep(SAVED)
   code:get(RAX, RDI, 0)
   code:get(RCX, RDI, 8)
   for i, reg in ipairs { RDX, RBX, RBP, 12, 13, 14, RSI } do code:get(reg, RDI, 8 + 8 * i) end
   code:repeatedly(RSI, 1, function()
      rows(false)
      code:with_number('add', RAX, VECTOR)
      code:with_number('add', RCX, VECTOR)
   end)
   local done = {}
   code:get(RSI, RDI, 72)
   code:with_number('compare', RSI, 0)
   code:jump('jz', done)
   code:load(MASK, { base = RSI })
   rows(true)
   code:place(done)
   code:leave(SAVED)
   return code:finish()
end

local made = {}

-- The code of a program for elements of a type.
return function(T, steps)
   if not assembler.possible() then return nil end
   made[T.name] = made[T.name] or {}
   made[T.name][steps] = made[T.name][steps] or compile(T, steps)
   return made[T.name][steps]
end
