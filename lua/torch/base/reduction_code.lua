-- Sums and products of Floats and doubles as machine code, in double precision, for reductions of neighbors and of
-- columns. The order of operations follows from the number of elements, not from addresses.
-- See docs/decisions/0028-vector-code.md.
--
-- A function has the arguments of a loop of NumPy: f(args, dims, steps, data).
--    rows(T, term, how)      dims[0] results of dims[1] neighbors each, at args[0]; steps[0] bytes between rows
--    columns(T, term, how)   dims[0] results, of neighbors at args[0] and dims[1] rows of them, steps[2] bytes apart
-- Results go to args[1], steps[1] bytes apart: those of columns must be neighbors. `term` is a key of `terms`, and
-- `how` is { combine = 'add' or 'multiply', result = T or Double, which is the default }. Deviations are those from
-- numbers at args[2], which follow the results by steps[3] bytes. nil where no such code can run.

local aligned, assembler = require 'torch.native.aligned', require 'torch.native.assembler'
local types = require 'torch.base.types'

local reduction_code = {}

-- General registers: addresses of operands, of results and of shifts; those of steps; counts; the place in a row.
local X, TO, SHIFT, STEPS, RESULTS, N, AT, COUNT, ROW = 8, 9, 2, 1, 10, 11, 0, 6, 7
local RDI, RSI, RDX = 7, 6, 2
-- Vector registers: results from 0 on; the bit of the sign, a result of single elements, a term, the shift.
local SIGN, SINGLE, TERM, FROM = 12, 13, 14, 15
local DOUBLES = 4

-- Loads four elements, or one with zeros behind it, as doubles.
local function fetch(code, S, d, at, one)
   if S.size == 8 then
      if one then code:load_one(d, at) else code:load(d, at) end
   elseif one then
      code:load_float(d, at)
      code:widen(d, d)
   else
      code:widen(d, at)
   end
end

local terms = { elements = fetch }

function terms.magnitudes(code, S, d, at, one)
   fetch(code, S, d, at, one)
   code:and_not(d, SIGN, d)
end

function terms.squares(code, S, d, at, one)
   fetch(code, S, d, at, one)
   code:multiply(d, d, d)
end

-- Squares as the type has them.
function terms.own_squares(code, S, d, at, one)
   if S.size == 8 then return terms.squares(code, S, d, at, one) end
   if one then code:load_float(d, at) else code:load_floats(d, at) end
   code:multiply_floats(d, d, d)
   code:widen(d, d)
end

function terms.deviations(code, S, d, at, one)
   fetch(code, S, d, at, one)
   code:subtract(d, d, FROM)
   code:multiply(d, d, d)
end

local function clear(code, d, how)
   if how.combine == 'multiply' then code:load(d, code:number(1, 'double')) else code:clear(d, d, d) end
end

local function store(code, T, d, at, one)
   if T.size == 8 then
      if one then code:store_one(d, at) else code:store(d, at) end
   else
      code:narrow(d, d)
      if one then code:store_float(d, at) else code:store_floats(d, at) end
   end
end

local function begin()
   local code = assembler.new(types.by_name.Double)
   code:copy(STEPS, RDX)
   code:get(X, RDI, 0)
   code:get(TO, RDI, 8)
   code:get(SHIFT, RDI, 16)
   code:get(RESULTS, RSI, 0)
   code:get(N, RSI, 8)
   code:load(SIGN, code:number(-0.0, 'double'))
   return code
end

-- Vectors of a step of a row: so many sums hide the time of an addition.
local WIDE = 4

local function rows(S, term, how)
   local code, combine, one = begin(), how.combine or 'add', (how.combine or 'add') .. '_double'
   local function add(vectors)
      for k = 0, vectors - 1 do
         terms[term](code, S, TERM, { base = AT, offset = k * DOUBLES * S.size })
         code[combine](code, k, k, TERM)
      end
      code:with_number('add', AT, vectors * DOUBLES * S.size)
   end
   code:repeatedly(RESULTS, 1, function()
      code:copy(AT, X)
      code:copy(COUNT, N)
      if term == 'deviations' then code:spread(FROM, { base = SHIFT }) end
      for k = 0, WIDE - 1 do clear(code, k, how) end
      clear(code, SINGLE, how)
      code:repeatedly(COUNT, WIDE * DOUBLES, function() add(WIDE) end)
      code:repeatedly(COUNT, DOUBLES, function() add(1) end)
      code:repeatedly(COUNT, 1, function()
         terms[term](code, S, TERM, { base = AT }, true)
         code[one](code, SINGLE, SINGLE, TERM)
         code:with_number('add', AT, S.size)
      end)
      code[combine](code, 0, 0, 1)
      code[combine](code, 2, 2, 3)
      code[combine](code, 0, 0, 2)
      code:upper_half(0, TERM, 1)
      code[combine](code, 0, 0, TERM)
      code:upper_double(TERM, 0, 0)
      code[one](code, 0, 0, TERM)
      code[one](code, 0, 0, SINGLE)
      store(code, how.result or code.T, 0, { base = TO }, true)
      code:increase(X, { base = STEPS, offset = 0 })
      code:increase(TO, { base = STEPS, offset = 8 })
      if term == 'deviations' then code:increase(SHIFT, { base = STEPS, offset = 24 }) end
   end)
   return code
end

-- Vectors of columns that are reduced together.
local MOST = 8

local function columns(S, term, how)
   local code, combine, T = begin(), how.combine or 'add', how.result or types.by_name.Double
   local function block(vectors, count)
      local function place(base, k, size) return { base = base, offset = k * DOUBLES * size } end
      code:repeatedly(RESULTS, count, function()
         code:copy(AT, X)
         code:copy(ROW, N)
         for k = 0, vectors - 1 do clear(code, k, how) end
         code:repeatedly(ROW, 1, function()
            for k = 0, vectors - 1 do
               if term == 'deviations' then
                  fetch(code, types.by_name.Double, FROM, place(SHIFT, k, 8), count == 1)
               end
               terms[term](code, S, TERM, place(AT, k, S.size), count == 1)
               code[combine](code, k, k, TERM)
            end
            code:increase(AT, { base = STEPS, offset = 16 })
         end)
         for k = 0, vectors - 1 do store(code, T, k, place(TO, k, T.size), count == 1) end
         code:with_number('add', X, count * S.size)
         code:with_number('add', TO, count * T.size)
         if term == 'deviations' then code:with_number('add', SHIFT, count * 8) end
      end)
   end
   block(MOST, MOST * DOUBLES)
   block(1, DOUBLES)
   block(1, 1)
   return code
end

-- Memory for so many doubles, until the next call.
local memory, room = nil, 0
function reduction_code.doubles(count)
   if count > room then memory, room = aligned('double', count), count end
   return memory
end

local makers, made = { rows = rows, columns = columns }, {}

local function get(kind, S, term, how)
   if S.name ~= 'Float' and S.name ~= 'Double' or not assembler.possible() then return nil end
   how = how or {}
   local key = ('%s %s %s %s %s'):format(kind, S.name, term, how.combine or 'add', how.result and how.result.name or '')
   if made[key] == nil then
      local code = makers[kind](S, term, how)
      code:leave()
      made[key] = code:finish() or false
   end
   return made[key] or nil
end

function reduction_code.rows(S, term, how) return get('rows', S, term, how) end
function reduction_code.columns(S, term, how) return get('columns', S, term, how) end

return reduction_code
