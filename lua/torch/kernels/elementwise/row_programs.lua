-- Programs of fused.lua over rows of neighbors, on all cores. Each operand has a step between rows: 0 repeats a row.
--
--    map(name, T, text, inputs, spread, scalars)
--                                            f(rows, columns, x, x_row, ..., z, z_row): steps in elements
--    totals(name, T, text, inputs, spread)   f(rows, columns, x, x_row, ..., z): sets the doubles at z to the sums of
--                                            results in each column
--    sums(name, T, text, inputs)             f(rows, columns, x, x_row, ..., z): the same of results in each row, of up
--                                            to three inputs
--
-- `inputs` lists up to four registers, and up to five with those of the set `spread`, which are one element for each
-- row. `scalars` are as in fused.make.

local ceil, concat = math.ceil, table.concat
local ffi = require 'ffi'
local element, fused = require 'torch.base.element', require 'torch.kernels.elementwise.fused'
local parallel_for = require 'torch.parallel.parallel_for'
local aligned, template = require 'torch.native.aligned', require 'torch.jit.template'
local kernels = require 'torch.native.kernels' 'reduce/reduce'
local types = require 'torch.base.types'
local cast, char_p = ffi.cast, ffi.typeof 'char *'
local Double = types.by_name.Double

local row_programs = {}

-- Nanoseconds for a row, and for the call of a loop; so few rows are done in parts of columns, as are totals of columns
-- that are not long; others in PIECES pieces of rows.
local ROW, CALL, FEW, LONG, PIECES, UNIT = 5, 20, 8, 64, 8, 64

-- Source for each input, with its register for X and its number for #.
local function each(inputs, text, separator)
   local list = {}
   for i, x in ipairs(inputs) do list[i] = (text:gsub('X', x):gsub('#', i - 1)) end
   return concat(list, separator or ', ')
end

-- Scratch for a number of doubles, until the next call.
local memory, room = nil, 0
local function doubles(count)
   if count > room then memory, room = aligned('double', count), count end
   return memory
end

local map_source = [[
return function(rows, columns, $inputs, z, z_row)
$set
   p.args[$count], p.rows[$count], p.columns, p.whole = cast(char_p, z), z_row * $size, columns, rows
   local time = rows * ($ROW + columns * $work)
   if rows < $FEW and columns > rows then return share_columns(columns, $UNIT, time, p) end
   share(rows, 1, time, p)
end]]

local totals_source = [[
return function(rows, columns, $inputs, z)
$set
   p.args[$count], p.columns, p.whole, p.piece = cast(char_p, z), columns, rows, ceil(rows / $PIECES)
   local time = rows * ($ROW + columns * $work)
   if rows < $LONG then return share_columns(columns, $UNIT, time, p) end
   local count = ceil(rows / p.piece)
   local memory = doubles(count * columns)
   p.args[$count] = cast(char_p, memory)
   share(count, 1, time, p)
   kernels.t7_reduce_along($DOUBLE, kernels.T7_SUM, 0, z, memory, 1, 0, count, columns, columns, 1)
end]]

-- Where a step has no code: row by row.
local alone_source = [[
return function(rows, columns, $inputs, z, z_row)
   for i = 0, rows - 1 do run($moved, z + i * z_row, $size, columns) end
end]]

local add_source = [[
return function(rows, columns, $inputs, z)
   if columns > room then row, room = new_row(columns), columns end
   fill(z, 8 * columns)
   for i = 0, rows - 1 do
      run($moved, row, $size, columns)
      for j = 0, columns - 1 do z[j] = z[j] + get(row, j) end
   end
end]]

local sums_source = [[
return function(rows, columns, $inputs, z)
$set
   loop.args[$count], p.count = cast(char_p, z), columns
   share(rows, 1, rows * ($ROW + columns * $work), p)
end]]

local sums_alone_source = [[
return function(rows, columns, $inputs, z)
   if columns > room then row, room = new_row(columns), columns end
   for i = 0, rows - 1 do
      run($moved, row, $size, columns)
      local total = 0
      for j = 0, columns - 1 do total = total + get(row, j) end
      z[i] = total
   end
end]]

-- A program row by row, where a step has no code: `source` with the numbers and texts of `values`.
local function alone(source, name, T, text, inputs, spread, values, scalars)
   local moved = {}
   for i, x in ipairs(inputs) do moved[i] = ('%s + i * %s_row, %d'):format(x, x, spread[x] and 0 or T.size) end
   values.moved = concat(moved, ', ')
   return template.compile(name, source, values, { run = fused.make(name, T, T, text, inputs, scalars or {}),
      new_row = ffi.typeof(T.c .. '[?]'), fill = ffi.fill, get = element.getter(T) })
end

local function make(name, T, text, inputs, spread, adds, scalars)
   local fn, work = fused.rows(T, text, inputs, spread, adds, scalars)
   local values = { inputs = each(inputs, 'X, X_row'), size = T.size, ROW = ROW, work = work, count = #inputs,
      FEW = FEW, LONG = LONG, PIECES = PIECES, UNIT = UNIT, DOUBLE = Double.index }
   if not fn then
      local source = adds and 'local room, row = 0\n' .. add_source or alone_source
      return alone(source, name, T, text, inputs, spread, values, scalars)
   end
   local p = ffi.new 't7_program_rows'
   p.fn, p.count, p.adds = fn, #inputs + 1, adds and 1 or 0
   for i, x in ipairs(inputs) do p.sizes[i - 1] = spread[x] and 0 or T.size end
   p.sizes[#inputs] = adds and 8 or T.size
   values.set = each(inputs, '   p.args[#], p.rows[#] = cast(char_p, X), X_row * ' .. T.size, '\n')
   local upvalues = { p = p, cast = cast, char_p = char_p, ceil = ceil }
   local kind = adds and 'program_pieces' or 'program_rows'
   upvalues.share = parallel_for.kind('torch.parallel.memory_chunks', kind)
   upvalues.share_columns = parallel_for.kind('torch.parallel.memory_chunks', 'program_columns')
   if adds then
      upvalues.doubles, upvalues.kernels = doubles, kernels
   end
   return template.compile(name, adds and totals_source or map_source, values, upvalues)
end

function row_programs.map(name, T, text, inputs, spread, scalars)
   return make(name, T, text, inputs, spread or {}, false, scalars)
end

function row_programs.sums(name, T, text, inputs)
   local fn, work = fused.row_total(T, text, inputs)
   local values = { inputs = each(inputs, 'X, X_row'), size = T.size, ROW = CALL, work = work, count = #inputs }
   if not fn then return alone('local room, row = 0\n' .. sums_alone_source, name, T, text, inputs, {}, values) end
   local p = ffi.new 't7_loop_rows'
   p.loop.fn, p.rows[#inputs] = fn, 8
   values.set = each(inputs, '   loop.args[#], p.rows[#] = cast(char_p, X), X_row * ' .. T.size, '\n')
   return template.compile(name, sums_source, values, { p = p, loop = p.loop, cast = cast, char_p = char_p,
      share = parallel_for.kind('torch.parallel.memory_chunks', 'loop_rows') })
end

function row_programs.totals(name, T, text, inputs, spread) return make(name, T, text, inputs, spread or {}, true) end

return row_programs
