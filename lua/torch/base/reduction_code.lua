-- Sums and products of Floats and doubles as machine code, in double precision, for reductions along contiguous rows
-- and along columns. The order of operations follows from the number of elements, not from addresses. See
-- docs/decisions/0028-vector-code.md.
--
-- A function has the arguments of a loop of NumPy: f(args, dims, steps, data).
--    rows(T, term, how)      dims[0] results of dims[1] neighbors each, at args[0]; steps[0] bytes between rows
--    in_turn(T, term, how)   the same, of doubles, where each element follows the one before: four or sixteen rows at
--                            a time
--    columns(T, term, how)   dims[0] results, of neighbors at args[0] and dims[1] rows of them, steps[2] bytes apart
-- Results go to args[1], steps[1] bytes apart: those of columns must be neighbors. `term` is a key of `terms`, and
-- `how` is { combine = 'add' or 'multiply', result = T or Double, which is the default }. Deviations are those from
-- numbers at args[2], which follow the results by steps[3] bytes. nil where no such code can run.

local aligned, assembler = require 'torch.native.aligned', require 'torch.native.assembler'
local types = require 'torch.base.types'

local reduction_code = {}

-- General registers: addresses of operands, results and shifts; steps; counts; the offset in a row.
local X, TO, SHIFT, STEPS, RESULTS, N, AT, COUNT, ROW = 8, 9, 2, 1, 10, 11, 0, 6, 7
local RDI, RSI, RDX = 7, 6, 2
-- Vector registers: results from 0 on; the sign bit, a result of single elements, a term, the shift.
local SIGN, SINGLE, TERM, FROM = 12, 13, 14, 15
local DOUBLES = 4

-- Loads four elements, or one followed by zeros, as doubles.
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

-- Squares rounded to the type.
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

-- Vectors per step of a row: this number of independent sums hides the latency of additions.
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

-- Four rows side by side: four elements of each become a vector per element.
local NEXT, THIRD, KEPT, LENGTH = 1, 2, { 3, 5 }, 5
local GROUPS = { X, TO, RESULTS, N }
local COLUMN = { 8, 9, 10, 11 }

local function in_turn(_, _, how)
   local code, combine = assembler.new(types.by_name.Double), how.combine or 'add'
   local one, left, x, to = combine .. '_double', KEPT[1], RDI, RSI
   code:keep(KEPT)
   code:get(left, RSI, 0)
   code:get(LENGTH, RSI, 8)
   code:get(NEXT, RDX, 0)
   code:get(to, RDI, 8)
   code:get(x, RDI, 0)
   code:copy(THIRD, NEXT)
   code:increase(THIRD, NEXT)
   code:increase(THIRD, NEXT)
   -- The first elements at the addresses of a group, or four of each.
   local function load(group, first, instruction)
      local base = GROUPS[group]
      local operands = { { base = base }, { base = base, index = NEXT }, { base = base, index = NEXT, scale = 2 },
         { base = base, index = THIRD } }
      for k = 1, 4 do code[instruction](code, first + k - 1, operands[k]) end
   end
   local function pairs_of(a)
      code:low_pairs(COLUMN[1], a, a + 1)
      code:low_pairs(COLUMN[2], a + 2, a + 3)
   end
   local function block(groups)
      code:repeatedly(left, 4 * groups, function()
         code:copy(GROUPS[1], x)
         for g = 1, groups do
            if g > 1 then
               code:copy(GROUPS[g], GROUPS[g - 1])
               for _ = 1, 4 do code:increase(GROUPS[g], NEXT) end
            end
            clear(code, g - 1, how)
         end
         code:copy(AT, LENGTH)
         local function advance(bytes)
            for g = 1, groups do code:with_number('add', GROUPS[g], bytes) end
         end
         code:repeatedly(AT, 4, function()
            for g = 1, groups do
               load(g, 4, 'load')
               pairs_of(4)
               code:high_pairs(4, 4, 5)
               code:high_pairs(6, 6, 7)
               code:halves(COLUMN[3], COLUMN[1], COLUMN[2], 0x20)
               code[combine](code, g - 1, g - 1, COLUMN[3])
               code:halves(COLUMN[4], 4, 6, 0x20)
               code[combine](code, g - 1, g - 1, COLUMN[4])
               code:halves(COLUMN[3], COLUMN[1], COLUMN[2], 0x31)
               code[combine](code, g - 1, g - 1, COLUMN[3])
               code:halves(COLUMN[4], 4, 6, 0x31)
               code[combine](code, g - 1, g - 1, COLUMN[4])
            end
            advance(32)
         end)
         code:repeatedly(AT, 1, function()
            for g = 1, groups do
               load(g, 4, 'load_one')
               pairs_of(4)
               code:halves(COLUMN[3], COLUMN[1], COLUMN[2], 0x20)
               code[combine](code, g - 1, g - 1, COLUMN[3])
            end
            advance(8)
         end)
         for g = 1, groups do
            code:store(g - 1, { base = to, offset = 32 * (g - 1) })
            for _ = 1, 4 do code:increase(x, NEXT) end
         end
         code:with_number('add', to, 32 * groups)
      end)
   end
   block(4)
   block(1)
   code:repeatedly(left, 1, function()
      code:copy(GROUPS[1], x)
      clear(code, 0, how)
      code:copy(AT, LENGTH)
      code:repeatedly(AT, 1, function()
         code[one](code, 0, 0, { base = GROUPS[1] })
         code:with_number('add', GROUPS[1], 8)
      end)
      code:store_one(0, { base = to })
      code:with_number('add', to, 8)
      code:increase(x, NEXT)
   end)
   return code, KEPT
end

-- Vectors of columns that are reduced together.
local MOST = 8

local function columns(S, term, how)
   local code, combine, T = begin(), how.combine or 'add', how.result or types.by_name.Double
   local function block(vectors, count)
      local function element(base, k, size) return { base = base, offset = k * DOUBLES * size } end
      code:repeatedly(RESULTS, count, function()
         code:copy(AT, X)
         code:copy(ROW, N)
         for k = 0, vectors - 1 do clear(code, k, how) end
         code:repeatedly(ROW, 1, function()
            for k = 0, vectors - 1 do
               if term == 'deviations' then
                  fetch(code, types.by_name.Double, FROM, element(SHIFT, k, 8), count == 1)
               end
               terms[term](code, S, TERM, element(AT, k, S.size), count == 1)
               code[combine](code, k, k, TERM)
            end
            code:increase(AT, { base = STEPS, offset = 16 })
         end)
         for k = 0, vectors - 1 do store(code, T, k, element(TO, k, T.size), count == 1) end
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

-- Scratch for a number of doubles, until the next call.
local memory, room = nil, 0
function reduction_code.doubles(count)
   if count > room then memory, room = aligned('double', count), count end
   return memory
end

local makers, made = { rows = rows, columns = columns, in_turn = in_turn }, {}

local function get(kind, S, term, how)
   if S.name ~= 'Float' and S.name ~= 'Double' or not assembler.possible() then return nil end
   how = how or {}
   local key = ('%s %s %s %s %s'):format(kind, S.name, term, how.combine or 'add', how.result and how.result.name or '')
   if made[key] == nil then
      local code, kept = makers[kind](S, term, how)
      code:leave(kept)
      made[key] = code:finish() or false
   end
   return made[key] or nil
end

function reduction_code.rows(S, term, how) return get('rows', S, term, how) end
function reduction_code.in_turn(S, term, how) return get('in_turn', S, term, how) end
function reduction_code.columns(S, term, how) return get('columns', S, term, how) end

return reduction_code
