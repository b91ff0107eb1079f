-- Running sums and products as machine code, with the arguments of a loop of NumPy: f(args, dims, steps, data). Floats
-- accumulate as doubles. See docs/decisions/0028-vector-code.md.
--
--    running_code.rows(T, operation)        of rows of neighbors: the first element is stored as it is
--    running_code.columns(T, operation)     of columns of neighboring Floats: the first one is combined with 0 or 1
--
-- Pointers, nil where there is no code; `operation` is 'add' or 'multiply'. args: addresses of the operand and of the
-- result. dims[0]: how many rows or columns. steps, in bytes: of both from one to the next, 0 and 1; of both from
-- element to element, 2 and 3; and the number of elements, 4.

local assembler = require 'torch.native.assembler'
local Double = require('torch.base.types').by_name.Double

local running_code = {}

local RAX, COUNT, STEPS, LEFT, ARGS = 0, 1, 2, 6, 7
local FROM, TO, OURS = { 8, 9, 10, 11 }, { 12, 13, 14, 15 }, { 12, 13, 14, 15 }
-- Vector registers: of sums, and for an element.
local SUM, TEMP = 0, 12

local one = { add = 'add_double', multiply = 'multiply_double' }
local many = { add = 'add_doubles', multiply = 'multiply' }

local function load(code, T, register, place)
   if T.size == 8 then return code:load_one(register, place) end
   code:load_float(register, place)
   code:widen(register, register)
end

local function store(code, T, register, place)
   if T.size == 8 then return code:store_one(register, place) end
   code:narrow(TEMP, register)
   code:store_float(TEMP, place)
end

-- The addresses of some rows of operand k; the next call goes on behind them.
local function take_rows(code, k, registers, rows)
   code:get(RAX, STEPS, 8 * k)
   code:get(COUNT, ARGS, 8 * k)
   for i = 1, rows do
      code:copy(registers[i], COUNT)
      code:increase(COUNT, RAX)
   end
   code:set(ARGS, 8 * k, COUNT)
end

-- Each sum waits for the one before: some rows at a time.
local function some_rows(code, T, operation, rows)
   code:repeatedly(LEFT, rows, function()
      take_rows(code, 0, FROM, rows)
      take_rows(code, 1, TO, rows)
      for i = 1, rows do
         load(code, T, SUM + i, { base = FROM[i] })
         store(code, T, SUM + i, { base = TO[i] })
         if i == 1 then code:get(COUNT, STEPS, 32) end
      end
      code:with_number('subtract', COUNT, 1)
      code:get(RAX, STEPS, 16)
      code:repeatedly(COUNT, 1, function()
         for i = 1, rows do
            load(code, T, TEMP + 1, { base = FROM[i], index = RAX })
            code[one[operation]](code, SUM + i, SUM + i, TEMP + 1)
            store(code, T, SUM + i, { base = TO[i], index = RAX })
         end
         code:with_number('add', RAX, T.size)
      end)
   end)
end

function running_code.rows(T, operation)
   if T.name ~= 'Float' and T.name ~= 'Double' or not assembler.possible() then return nil end
   local code = assembler.new(Double)
   code.half = true
   code:keep(OURS)
   code:get(LEFT, LEFT, 0)
   some_rows(code, T, operation, #FROM)
   some_rows(code, T, operation, 1)
   code:leave(OURS)
   return code:finish()
end

-- Columns of a turn, in vectors of four doubles.
local VECTOR = 4

local function some_columns(code, operation, vectors)
   local width = vectors == 0 and 1 or vectors * VECTOR
   code:repeatedly(LEFT, width, function()
      for k = 0, 1 do
         code:get(FROM[1 + k], ARGS, 8 * k)
         code:copy(RAX, FROM[1 + k])
         code:with_number('add', RAX, width * 4)
         code:set(ARGS, 8 * k, RAX)
      end
      local start = code:number(operation == 'add' and 0 or 1, 'double')
      for i = 1, math.max(vectors, 1) do code:load(SUM + i - 1, start) end
      code:get(COUNT, STEPS, 32)
      code:repeatedly(COUNT, 1, function()
         local from, to = { base = FROM[1] }, { base = FROM[2] }
         if vectors == 0 then
            code:load_float(TEMP, from)
            code:widen(TEMP, TEMP)
            code[one[operation]](code, SUM, SUM, TEMP)
            code:narrow(TEMP, SUM)
            code:store_float(TEMP, to)
         end
         for i = 0, vectors - 1 do
            from.offset, to.offset = 16 * i, 16 * i
            code:widen(TEMP, from)
            code[many[operation]](code, SUM + i, SUM + i, TEMP)
            code:narrow(TEMP, SUM + i)
            code:store_floats(TEMP, to)
         end
         code:increase(FROM[1], { base = STEPS, offset = 16 })
         code:increase(FROM[2], { base = STEPS, offset = 24 })
      end)
   end)
end

function running_code.columns(T, operation)
   if T.name ~= 'Float' or not assembler.possible() then return nil end
   local code = assembler.new(Double)
   code:get(LEFT, LEFT, 0)
   for _, vectors in ipairs { 8, 1, 0 } do some_columns(code, operation, vectors) end
   code:leave()
   return code:finish()
end

return running_code
