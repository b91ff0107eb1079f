-- Many evenly spaced numbers, as a program over rows: x counts the elements of a row from 0, t is the index before
-- them.

local setmetatable = setmetatable
local abs, floor, huge, min = math.abs, math.floor, math.huge, math.min
local native, parallel_copy = require 'torch.native.native', require 'torch.parallel.parallel_copy'
local row_programs, types = require 'torch.kernels.elementwise.row_programs', require 'torch.base.types'
local Double = types.by_name.Double

-- The i-th number, from u on, by steps of v, or of parts of v: s of them.
local number_rows = {
   RANGE = 'z = (x + t) * v + u',
   EVEN = 'z = (x + t) * v / s + u',
}

-- Elements per row; the number of elements below which a loop is used; and how many Floats are converted at a time.
local COLUMNS, MIN_ELEMENTS, PIECE = 2 ^ 10, 2 ^ 12, 2 ^ 17
-- Larger integers are not exact as Floats.
local MAX_EXACT = 2 ^ 24

local function is_finite(number) return number - number == 0 end

-- f(to, from, count, first, step, parts): the numbers `from` to from + count - 1 by a program in a type.
local function factory(name, T, program)
   local run, xs, befores, capacity, numbers, divisor
   return function(to, from, count, first, step, parts)
      if not run then
         xs, numbers, divisor, capacity = native.buffer(T.c, COLUMNS), {}, native.buffer(T.c, 1), 0
         for i = 0, COLUMNS - 1 do xs[i] = i end
         numbers.v, numbers.u = native.buffer(T.c, 1), native.buffer(T.c, 1)
         run = row_programs.map(name, T, program, { 'x', 't', 's' }, numbers)
      end
      local rows = floor(count / COLUMNS)
      if rows + 1 > capacity then befores, capacity = native.buffer(T.c, rows + 1), rows + 1 end
      for i = 0, rows do befores[i] = from + i * COLUMNS end
      numbers.v[0], numbers.u[0], divisor[0] = step, first, parts
      run(rows, COLUMNS, xs, 0, befores, 1, divisor, 0, to, COLUMNS)
      local rest = count - rows * COLUMNS
      if rest > 0 then
         run(1, rest, xs, 0, befores + rows, 0, divisor, 0, to + rows * COLUMNS, COLUMNS)
      end
   end
end

local function make(name, T, program)
   if T ~= Double and T.name ~= 'Float' then return nil end
   local own, exact, doubles = factory(name, T, program), factory(name, Double, program), nil
   local is_range = program == number_rows.RANGE
   -- Whether computing in the type gives the same as rounding doubles, as it does for steps that are multiples of EVEN.
   local function is_own(n, first, step)
      if T == Double then return true end
      if n > MAX_EXACT then return false end
      return not is_range or first % 1 == 0 and step % 1 == 0 and abs(first) + n * abs(step) <= MAX_EXACT
   end
   -- Returns whether it did the work.
   return function(to, n, first, step, parts)
      parts = parts or 1
      if n < MIN_ELEMENTS or not (is_finite(first) and is_finite(step) and abs(step) * n < huge) then return false end
      if is_own(n, first, step) then
         own(to, 0, n, first, step, parts)
         return true
      end
      if not is_range then return false end
      doubles = doubles or native.buffer('double', PIECE)
      for from = 0, n - 1, PIECE do
         local count = min(PIECE, n - from)
         exact(doubles, from, count, first, step, parts)
         parallel_copy.elements(T, to + from, 1, Double, doubles, 1, count, true)
      end
      return true
   end
end

-- number_rows(name, T, program): f(to, n, first, step, parts), or nil for other types.
return setmetatable(number_rows, { __call = function(_, name, T, program) return make(name, T, program) end })
