-- Calling an element-wise program over operands that are not all contiguous. strided.make(n) gives a function
-- f(run, R, r, T, t, ...) that calls run(x, x_step, ..., z, z_step, count) for blocks of a result r of type R and n
-- operands of type T. `run` is a function of fused.make.

local concat, ipairs, require = table.concat, ipairs, require
local ceil, floor, min = math.ceil, math.floor, math.min
local ffi = require 'ffi'
local geometry, strided_iterator = require 'torch.base.geometry', require 'torch.loops.strided_iterator'
local finish_trace = require('torch.jit.trace').finish
local native, template = require 'torch.native.native', require 'torch.jit.template'
local fused, kernels = require 'torch.kernels.elementwise.fused', require 'torch.native.kernels'
local parallel_copy = require 'torch.parallel.parallel_copy'

local strided = {}

-- Vectors need no walk. Matrices of the same sizes are walked row by row; small ones by their shorter dimension. Where
-- memory is not read in order, long rows are cut into blocks whose cache lines the next rows reuse; shorter ones where
-- the steps map them to few cache sets. Very short rows, as colours, are walked by columns.
local source = [[
local SHORT, LONG, FEW, SMALL, NARROW, MANY = 64, 1024, 16, 512, 8, 16384

local function rows_of(run, z, z_row, z_s, $all_rows, from, rows, columns)
   for i = from, rows - 1 do run($row_pointers, z + i * z_row, z_s, columns) end
end

local function blocks_of(run, z, z_row, z_s, $all_rows, rows, columns, block, R_size, T_size)
   for start = 0, columns - 1, block do
      local count = columns - start
      if count > block then count = block end
      rows_of(run, z + start * (z_s / R_size), z_row, z_s, $block_rows, 0, rows, count)
   end
end

-- One row for all of a contiguous result is repeated, so that a call of the loop has work.
local REPEATED = 2048
local $memories

local function repeated(T, memory, x, columns, times)
   local to = memory or new_buffer(T.c, REPEATED)
   for k = 0, times - 1 do copy(to + k * columns, x, columns * T.size) end
   return to
end

local function shared_or_not(run, z, z_row, z_s, R_size, $all_rows, T_size, rows, columns)
   if rows > 1 then return share_rows[run](rows, columns, z, z_row * R_size, z_s, $byte_rows) end
   return rows_of(run, z, z_row, z_s, $all_rows, 0, rows, columns)
end

-- Operands with strided columns are first copied as contiguous rows, up to the number that fits a cache.
local BAND = 2 ^ 18
local $bands

local function in_bands(run, z, z_row, z_s, R_size, $all_rows, T, rows, columns)
   local T_size, max_rows = T.size, ceil(BAND / columns)
   finish_trace()
   for from = 0, rows - 1, max_rows do
      local count = min(max_rows, rows - from)
$band_operands
      shared_or_not(run, z + from * z_row, z_row, z_s, R_size, $band_rows, T_size, count, columns)
   end
end

local function matrix(run, R, r, T, $tensors)
   local row, column = 0, 1
   if r._size[0] * r._size[1] <= SMALL then
      if r._size[0] > r._size[1] then row, column = 1, 0 end
   else
      finish_trace()
      if r._stride[0] < r._stride[1] then row, column = 1, 0 end
   end
   local narrow = r._size[column] < NARROW and r._size[row] > SHORT
   if narrow then row, column = column, row end
   local rows, columns = r._size[row], r._size[column]
   local R_size, T_size = R.size, T.size
   local z, z_row, z_s = r._memory._data + r._offset, r._stride[row], r._stride[column] * R_size
$operands
   if columns * 4 <= REPEATED and rows * columns >= 2 * REPEATED and z_s == R_size and z_row == columns
      and ($is_repeated) and $flat_or_repeated then
      finish_trace()
      local times = floor(REPEATED / columns)
$repeat_rows
      local whole = floor(rows / times)
      z_row, rows, columns = times * columns, rows - whole * times, times * columns
$times_rows
      shared_or_not(run, z, z_row, z_s, R_size, $all_rows, T_size, whole, columns)
      if rows > 0 then
         run($rest_pointers, z + whole * z_row, z_s, rows * r._size[column])
      end
      return
   end
   if columns > SHORT and rows > SHORT and rows * columns >= BAND and columns <= BAND and $scattered then
      return in_bands(run, z, z_row, z_s, R_size, $all_rows, T, rows, columns)
   end
   if columns > SHORT and rows > 1 and (narrow or $scattered) then
      local block = ($crowded) and SHORT or LONG
      return blocks_of(run, z, z_row, z_s, $all_rows, rows, columns, block, R_size, T_size)
   end
   if rows < 2 then return run($all_columns, z, z_s, columns) end
   -- Rows apart from each other may be computed in any order.
   local z_width, z_height = z_s * columns, z_row * R_size * rows
   if z_s > 0 and z_row > 0 and (z_row * R_size >= z_width or z_s >= z_height) then
      return share_rows[run](rows, columns, z, z_row * R_size, z_s, $byte_rows)
   end
   finish_trace()
   rows_of(run, z, z_row, z_s, $all_rows, 0, rows, columns)
end

-- Walks the plan by its second loop, the first one around it.
local function by_columns(run, R_size, z, T_size, $tensors)
   local z_row, z_s, rows, columns = p.step[1][0], p.step[1][1] * R_size, p.size[0], p.size[1]
$column_operands
   local block = ($crowded) and SHORT or LONG
   plan.start(p)
   repeat
      blocks_of(run, z + p.offset[1], z_row, z_s, $column_pointers, rows, columns, block, R_size, T_size)
   until not plan.next(p, $count, 2)
end

local function general(run, R, r, T, $tensors)
   finish_trace()
   if not plan.prepare(p, $count, r, $tensors) then
$copies
      plan.prepare(p, $count, r, $tensors)
   end
   local z, z_s = r._memory._data + r._offset, p.step[1][0] * R.size
   if p.dim > 1 and p.size[0] < NARROW and plan.lengthen(p, $count, NARROW) then
      return by_columns(run, R.size, z, T.size, $tensors)
   end
$plan_operands
   if p.dim == 3 and R.size == T.size and p.size[0] * p.size[1] * p.size[2] >= MANY then
      if share_planes[run](z, $data) then return end
   elseif p.dim == 2 and p.size[0] * p.size[1] >= MANY and p.step[1][0] == 1 and p.step[1][1] >= p.size[0] then
      return share_rows[run](p.size[1], p.size[0], z, p.step[1][1] * R.size, z_s, $plan_rows)
   end
   local count = p.size[0]
   plan.start(p)
   repeat
      run($plan_pointers, z + p.offset[1], z_s, count)
   until not plan.next(p, $count)
end

-- Three dimensions of few rows are walked as they are: preparing a plan would take longer.
local function rank3(run, R, r, T, $tensors)
   finish_trace()
   local T_size, rows, columns = T.size, r._size[1], r._size[2]
   local z, z_plane, z_row, z_s = r._memory._data + r._offset, r._stride[0], r._stride[1], r._stride[2] * R.size
$rank3_operands
   for i = 0, r._size[0] * rows - 1 do
      local row = i % rows
      local plane = (i - row) / rows
      run($rank3_pointers, z + plane * z_plane + row * z_row, z_s, columns)
   end
end

local function vector(run, R, r, T, $tensors)
   local R_size, T_size = R.size, T.size
   run($vector_pointers, r._memory._data + r._offset, r._stride[0] * R_size, r._size[0])
end

return function(run, R, r, T, $tensors)
   if r._dim == 2 and $matrices then
      matrix(run, R, r, T, $tensors)
   elseif r._dim == 1 and $vectors then
      vector(run, R, r, T, $tensors)
   elseif r._dim == 3 and r._size[0] * r._size[1] <= FEW and $are_rank3 then
      rank3(run, R, r, T, $tensors)
   else
      general(run, R, r, T, $tensors)
   end
   return r
end]]

-- Rows of n operands, on all cores.
local rows_source = [[
return function(rows, columns, z, z_row, z_s, $all_rows)
   call.rows, call.columns = rows, columns
   call.begin[$last], call.row[$last], call.step[$last] = cast(char_p, z), z_row, z_s
$operands
   lib.t7_run_rows(call)
end]]

-- The same for the plan's three loops, of which the innermost goes over contiguous elements; whether it did the work.
local planes_source = [[
return function(z, $data)
   local columns, rows, step = p.size[0], p.size[1], p.step
   if not (step[1][0] == 1 and step[1][1] >= columns and step[1][2] >= rows * step[1][1]) then return false end
   call.rows, call.columns = rows, columns
   call.begin[$last], call.step[$last] = cast(char_p, z), $size
   call.row[$last], call.plane[$last] = step[1][1] * $size, step[1][2] * $size
$operands
   lib.t7_run_planes(call, p.size[2])
   return true
end]]

-- Functions of programs on rows, or planes of the plan p, by the functions of `fused.make`.
local function made_of(text, each, operand, p)
   return setmetatable({}, { __mode = 'k', __index = function(made, run)
      local record, operands = fused.records[run], {}
      for k, x in ipairs(record.inputs) do
         for at, used in ipairs(record.used) do
            if x == used then
               local filled = string.gsub(string.gsub(string.gsub(operand, '#', k), '@', k + 1), 'AT', at - 1)
               operands[#operands + 1] = string.gsub(filled, 'SIZE', record.T.size)
            end
         end
      end
      made[run] = template.compile('rows', text, { all_rows = each 'x#, x#_row, x#_s', data = each 'x#',
         last = #record.used, size = record.call.sizes[#record.used], operands = concat(operands, '\n') }, {
         call = record.call, lib = kernels 'elementwise', cast = ffi.cast, char_p = ffi.typeof 'char *', p = p })
      return made[run]
   end })
end

local ROW = '   call.begin[AT], call.row[AT], call.step[AT] = cast(char_p, x#), x#_row, x#_s'
local PLANE = [[
   call.begin[AT], call.step[AT] = cast(char_p, x#), step[@][0] * SIZE
   call.row[AT], call.plane[AT] = step[@][1] * SIZE, step[@][2] * SIZE]]

function strided.make(n)
   -- The text for each operand, with its number for # and the next one for @.
   local function each(text, separator)
      local list = {}
      for k = 1, n do list[k] = (string.gsub(string.gsub(text, '#', k), '@', k + 1)) end
      return concat(list, separator or ', ')
   end
   local p = strided_iterator.new(n + 1)
   return template.compile('walk', source, {
      count = n + 1, data = each 'x#', plan_rows = each 'x#, p.step[@][1] * T.size, x#_s',
      tensors = each 't#',
      all_rows = each 'x#, x#_row, x#_s',
      byte_rows = each 'x#, x#_row * T_size, x#_s',
      all_columns = each 'x#, x#_s',
      row_pointers = each 'x# + i * x#_row, x#_s',
      block_rows = each 'x# + start * (x#_s / T_size), x#_row, x#_s',
      operands = each([[
   local x#, x#_row = t#._memory._data + t#._offset, t#._stride[row]
   local x#_s = t#._stride[column] * T_size]], '\n'),
      crowded = each('x#_s % 2048 == 0 and x#_s ~= 0', ' or '),
      scattered = '(' .. each('x#_s ~= T_size and x#_s ~= 0', ' or ') .. ')',
      bands = each 'band#',
      band_rows = each 'x#_at, x#_step, x#_next',
      band_operands = each([[
      local x#_at, x#_step, x#_next = x# + from * x#_row, x#_row, x#_s
      if x#_s ~= T_size and x#_s ~= 0 then
         band# = band# or new_buffer(T.c, 2 * BAND)
         copy_matrix(T, band#, 1, columns, T, x#_at, x#_s / T_size, x#_row, columns, count)
         x#_at, x#_step, x#_next = band#, columns, T_size
      end]], '\n'),
      is_repeated = each('x#_row == 0', ' or '),
      flat_or_repeated = each('x#_s == T_size and (x#_row == 0 or x#_row == columns)', ' and '),
      repeat_rows = each([[
      if x#_row == 0 then
         m# = repeated(T, m#, x#, columns, times)
         x# = m#
      end]], '\n'),
      times_rows = each('      x#_row = x#_row * times', '\n'),
      rest_pointers = each 'x# + whole * x#_row, x#_s',
      memories = each 'm#',
      copies = each('t# = T.contiguous(t#)', '\n'),
      column_operands = each([[
   local x#, x#_row, x#_s = t#._memory._data + t#._offset, p.step[@][0], p.step[@][1] * T_size]], '\n'),
      column_pointers = each 'x# + p.offset[@], x#_row, x#_s',
      plan_operands = each('local x#, x#_s = t#._memory._data + t#._offset, p.step[@][0] * T.size', '\n'),
      plan_pointers = each 'x# + p.offset[@], x#_s',
      vectors = each('t#._dim == 1', ' and '),
      vector_pointers = each 't#._memory._data + t#._offset, t#._stride[0] * T_size',
      are_rank3 = each('t#._dim == 3 and same_size(t#, r)', ' and '),
      rank3_operands = each([[
   local x#, x#_plane, x#_row = t#._memory._data + t#._offset, t#._stride[0], t#._stride[1]
   local x#_s = t#._stride[2] * T_size]], '\n'),
      rank3_pointers = each 'x# + plane * x#_plane + row * x#_row, x#_s',
      matrices = each('t#._dim == 2 and t#._size[0] == r._size[0] and t#._size[1] == r._size[1]', ' and '),
   }, { plan = strided_iterator, p = p, share_planes = made_of(planes_source, each, PLANE, p),
      share_rows = made_of(rows_source, each, ROW), same_size = geometry.same_size,
      finish_trace = finish_trace, new_buffer = native.buffer, copy = ffi.copy,
      floor = floor, ceil = ceil, min = min, copy_matrix = parallel_copy.matrix })
end

return strided
