-- Extremes of rows and of columns of Floats and doubles with their indices, by machine code, on all cores.

local ffi = require 'ffi'
local extreme_code, native = require 'torch.base.extreme_code', require 'torch.native.native'
local parallel_for, template = require 'torch.parallel.parallel_for', require 'torch.jit.template'

local source = [[
local function describe(fn, values, indices, data, step, count, columns)
   p.fn, p.args[0], p.args[1], p.args[2] = fn, cast(char_p, data), cast(char_p, values), cast(char_p, indices)
   p.rows[0], p.count, p.columns = step, count, columns
end

local function run_rows(values, indices, data, rows, n)
   last[0], has_nan[0] = n - $LANES, 0
   describe(rows_fn, values, indices, data, n * $SIZE, 5, floor(n / $LANES) - 1)
   p.rows[3] = 0
   p.args[3], p.args[4] = cast(char_p, last), cast(char_p, has_nan)
   share(rows, 1, rows * n * $WORK, p)
   if has_nan[0] == 0 then return end
   for i = 0, rows - 1 do
      if indices[i] == 0 then plain(values + i, indices + i, data + i * n, 1, n) end
   end
end

local function run_columns(values, indices, data, outer, n, step, inner)
   for o = 0, outer - 1 do
      describe(columns_fn, values + o * inner, indices + o * inner, data + o * n * inner, $SIZE, 4, n)
      p.args[3], p.rows[3] = nil, step * $SIZE
      share(inner, $UNIT, inner * n * $WORK, p)
   end
end

return run_rows, run_columns]]

-- Nanoseconds for 4 bytes, and columns of a part.
local WORK, UNIT = 0.15, 32

-- The two functions for a type and the sign of the comparison that keeps an element, '<=' or '>='; nil where there is
-- no machine code. plain(values, indices, data, 1, n) does a row with a NaN.
--
--    run_rows(values, indices, data, rows, n)                        rows of n neighbors, at least a vector of them
--    run_columns(values, indices, data, outer, n, step, inner)       `inner` columns of n elements, `step` apart
return function(T, sign, plain)
   local is_max = sign == '<='
   local rows_fn = extreme_code.rows(T, is_max)
   if not rows_fn then return nil end
   local p = ffi.new 't7_program_rows'
   p.rows[1], p.rows[2], p.rows[4] = T.size, 8, 0
   return template.compile('extremes', source, { SIZE = T.size, LANES = 32 / T.size, WORK = WORK * T.size / 4,
      UNIT = UNIT }, { p = p, rows_fn = rows_fn, columns_fn = extreme_code.columns(T, is_max),
      last = native.buffer(T.c, 1), has_nan = native.buffer('int64_t', 1), cast = ffi.cast,
      char_p = ffi.typeof 'char *', floor = math.floor, plain = plain,
      share = parallel_for.kind('torch.parallel.memory_chunks', 'program_rows') })
end
