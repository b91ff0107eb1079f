-- Loops that copy runs and matrices of elements from type to type, generated on first use. Copies of few elements are
-- unrolled: a loop would keep the loop around the call from being compiled as one trace.

local concat, gsub, ipairs, min, tonumber = table.concat, string.gsub, ipairs, math.min, tonumber
local lazy_table, template = require 'torch.jit.lazy_table', require 'torch.jit.template'
local element, half, libc = require 'torch.loops.element', require 'torch.loops.half', require 'torch.native.libc'

local copy_loops = {}

local GROUP = 4       -- elements that one assignment copies

-- Assigns elements 0 to n - 1, whose expressions are formats of the index.
local function assignments(n, to, from)
   local lines = {}
   for first = 0, n - 1, GROUP do
      local left, right = {}, {}
      for k = first, min(first + GROUP, n) - 1 do
         left[#left + 1], right[#right + 1] = string.format(to, k), string.format(from, k)
      end
      lines[#lines + 1] = concat(left, ', ') .. ' = ' .. concat(right, ', ')
   end
   return concat(lines, '\n')
end

-- Unrolls a loop over `counter` in chunks of the given sizes: body(n) does n iterations, step(n) advances by them.
local function unrolled(counter, sizes, body, step)
   local lines = {}
   for _, n in ipairs(sizes) do
      local left = string.format('%s = %s - %d', counter, counter, n)
      lines[#lines + 1] = string.format('if %s > %d then\n%s\n%s\n%s\nend', counter, n - 1, body(n), step(n), left)
   end
   return concat(lines, '\n')
end

local function unit_run(n) return assignments(n, 'to[%d]', 'load(from, %d)') end
local function next_run(n) return string.format('to, from = to + %d, from + %d', n, n) end

-- The source of k steps.
local function times(k, step) return k == 0 and '0' or k == 1 and step or k .. ' * ' .. step end

-- Functions of n: the source of n steps, `statement` being a format of the offsets of one, and of moving on by n steps.
local function steps(statement, to_step, from_step)
   return function(n)
      local lines = {}
      for k = 0, n - 1 do lines[k + 1] = string.format(statement, times(k, to_step), times(k, from_step)) end
      return concat(lines, '\n')
   end, function(n)
      return string.format('to, from = to + %s, from + %s', times(n, to_step), times(n, from_step))
   end
end

local strided_run, next_strided = steps('to[%s] = load(from, %s)', 'to_step', 'from_step')

-- Up to this number of elements are copied without a loop.
copy_loops.UNROLLED = 31

local run_source = [[
return function(to, to_step, from, from_step, count)
   if to_step ~= 1 or from_step ~= 1 then
      if count > 31 then
         for i = 0, count - 1 do to[i * to_step] = load(from, i * from_step) end
         return
      end
      ]] .. unrolled('count', { 16, 8, 4, 2, 1 }, strided_run, next_strided) .. [[

      return
   end
   if count > 31 then
      for _ = 8, count, 8 do
         ]] .. unit_run(8) .. '\n' .. next_run(8) .. [[

      end
      count = count % 8
   end
   ]] .. unrolled('count', { 16, 8, 4, 2, 1 }, unit_run, next_run) .. [[

end]]

-- Rows of a matrix that are contiguous on both sides: moved, unless they overlap or need conversion.
local moved_rows = [[
   elseif to_step == 1 and from_step == 1 and count > 7 and (to - from <= 0 or to - from >= count) then
      for _ = 1, rows do
         memmove(to, from, count * $size)
         to, from = to + to_row, from + from_row
      end
      return]]
local converted_rows = [[
   elseif to_step == 1 and from_step == 1 and count > 31 then
      for _ = 1, rows do
         for i = 0, count - 1 do to[i] = load(from, i) end
         to, from = to + to_row, from + from_row
      end
      return]]

-- Rows that repeat one element, such as expanded columns: filled by doubling.
local repeated_rows = [[
   if to_step == 1 and from_step == 0 and count > 31 then
      for _ = 1, rows do
         ]] .. assignments(8, 'to[%d]', 'from[0]') .. [[

         local filled = 8
         while filled < count do
            memmove(to + filled, to, min(filled, count - filled) * $size)
            filled = 2 * filled
         end
         to, from = to + to_row, from + from_row
      end
      return
   end]]

-- A row of n columns at p and q.
local function row_of(n)
   local row = {}
   for k = 0, n - 1 do row[k + 1] = string.format('p[%s] = load(q, %s)', times(k, 'to_step'), times(k, 'from_step')) end
   return concat(row, ' ')
end

-- A loop for each number of columns below eight. Re-entering a compiled loop re-boxes its pointers.
local narrow_rows = {}
for columns = 1, 7 do
   narrow_rows[columns] = string.format([[
   elseif left == %d then
      for _ = 1, rows do %s p, q = p + to_row, q + from_row end]], columns, row_of(columns))
end

-- A row of up to seven elements is copied one by one: source and target may overlap.
local rows_run, next_rows = steps('short_row(to + %s, to_step, from + %s, from_step, count)', 'to_row', 'from_row')

-- Tiny matrices are unrolled; others are copied in strips of eight columns, row by row; narrow rows remain.
local matrix_source = [[
local function short_row(to, to_step, from, from_step, count)
]] .. unrolled('count', { 4, 2, 1 }, strided_run, next_strided) .. [[

end

local function short_rows(to, to_step, to_row, from, from_step, from_row, count, rows)
]] .. unrolled('rows', { 4, 2, 1 }, rows_run, next_rows) .. [[

end

return function(to, to_step, to_row, from, from_step, from_row, count, rows)
   if count < 8 and rows < 8 then
      return short_rows(to, to_step, to_row, from, from_step, from_row, count, rows)
   end
$repeated_rows
   local c = 0
   if to_step == 1 and from_row == 1 and count > 7 then
      -- Carries numbers, not pointers, from row to row: re-entering a compiled loop re-boxes pointers.
      while c < count - 7 do
         local start = c * from_step
         for r = 0, rows - 1 do
            local p, a0 = to + (c + r * to_row), from + (start + r)
            local a1, a2, a3 = a0 + from_step, a0 + 2 * from_step, a0 + 3 * from_step
            local a4, a5, a6, a7 = a0 + 4 * from_step, a0 + 5 * from_step, a0 + 6 * from_step, a0 + 7 * from_step
            ]] .. assignments(8, 'p[%d]', 'load(a%d, 0)') .. [[

         end
         c = c + 8
      end
$whole_rows
   end
   local p, q = to + c * to_step, from + c * from_step
   if count - c > 7 and to_row < count * to_step and to_step < rows * to_row then
      -- For rows with common elements: the last one counts.
      for r = 0, rows - 1 do
         for k = c, count - 1 do to[r * to_row + k * to_step] = load(from, r * from_row + k * from_step) end
      end
      return
   end
   for _ = 8, count - c, 8 do
      local start, first = p, q
      for _ = 1, rows do
         ]] .. row_of(8) .. [[

         p, q = p + to_row, q + from_row
      end
      p, q = start + 8 * to_step, first + 8 * from_step
   end
   local left = (count - c) % 8
   if left == 0 then
      return
]] .. concat(narrow_rows, '\n') .. [[

   end
end]]

-- The conversion of a pair of types as a function of the source; '' for C's own.
local function conversion(T, S)
   if T.name == S.name then return '' end
   if T.name == 'Half' then return 'to_half' end
   local is_narrowed = T.integer and T.name ~= 'Long' and not S.integer
   if S.name == 'Half' then return is_narrowed and 'narrowed_half' or 'from_half' end
   if is_narrowed then return 'narrowed' end
   -- LuaJIT 2.1 miscompiles a store of an int64 into a float; converting to a double first is correct.
   return T.name == 'Float' and S.name == 'Long' and 'number' or ''
end

-- Loops that move elements of one type, see element.mover.
local moving = [[
local run = (function() $source end)()
return function($parameters)
   to, from = bits(to), bits(from)
   run($parameters)
   settle(to)
end]]

local function make(source, T, S, parameters, plain)
   local to_half = half.from_number
   local to_bits = S.name == 'Long' and function(v) return to_half(tonumber(v)) end or to_half
   local narrowed = element.narrowed
   local function narrowed_half(v) return (narrowed(half.to_number(v))) end
   local f = conversion(T, S)
   source = gsub(source, '%$whole_rows', T.name == S.name and moved_rows or converted_rows)
   source = gsub(source, '%$repeated_rows', T.name == S.name and repeated_rows or '')
   -- Fractions that need conversion are read by element.getter unless there is no NaN; everything else is read
   -- directly.
   local is_fraction, bits, settle = not S.integer and S.name ~= 'Half', element.mover(S)
   local checked = is_fraction and T.name ~= S.name and not plain
   source = gsub(source, 'load(%b())', checked and f .. '(load%1)' or function(argument)
      return f .. '(' .. gsub(argument, '^%(([%w_]+), (.*)%)$', '%1[%2]') .. ')'
   end)
   if is_fraction and T.name == S.name then
      source = template.fill('copy', moving, { source = source, parameters = parameters })
   end
   return template.compile('copy', source, { size = T.size }, { from_half = half.to_number, to_half = to_bits,
      narrowed = narrowed, narrowed_half = narrowed_half, number = tonumber, memmove = libc.t7_memmove, min = min,
      load = element.getter(S), bits = bits, settle = settle })
end

local function table_of(source, parameters, plain)
   return lazy_table(function(T)
      return lazy_table(function(S) return make(source, T, S, parameters, plain) end)
   end)
end

local runs = table_of(run_source, 'to, to_step, from, from_step, count')
local plain_runs = table_of(run_source, 'to, to_step, from, from_step, count', true)
local matrices = table_of(matrix_source, 'to, to_step, to_row, from, from_step, from_row, count, rows')

-- f(to, to_step, from, from_step, count): copies elements of type S to T, which may overlap if S is T. `plain` is for
-- elements without a NaN to which nothing else writes.
function copy_loops.run(T, S, plain) return (plain and plain_runs or runs)[T][S] end

-- f(to, to_step, to_row, from, from_step, from_row, count, rows): rows x count elements between two layouts.
function copy_loops.matrix(T, S) return matrices[T][S] end

return copy_loops
