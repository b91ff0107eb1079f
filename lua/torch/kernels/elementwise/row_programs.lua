-- Programs of fused.lua over rows, on all cores. Each operand has a step between rows, in elements: 0 repeats a row.
--
--    map(name, T, text, inputs, numbers)      f(rows, columns, x, x_row, ..., z, z_row)
--    totals(name, T, text, inputs)            f(rows, columns, x, x_row, ..., z): sets the doubles at z to the sums of
--                                             results in each column
--    sums(name, T, text, inputs)              f(rows, columns, x, x_row, ..., z): the same of results in each row
--
-- `inputs` lists the registers in the order of arguments: x, y, w and r are rows of contiguous elements, and v, u, t
-- and s are one number for each row. `numbers` are numbers of all rows, as in fused.make.

local ipairs = ipairs
local ffi = require 'ffi'
local fused, kernels = require 'torch.kernels.elementwise.fused', require 'torch.native.kernels'
local template = require 'torch.jit.template'

local row_programs = {}

local NUMBERS = { v = 0, u = 1, t = 2, s = 3 }

local source = [[
return function(rows, columns, $inputs, $result)
   call.rows, call.columns = rows, columns
$set
   $run
end]]

local function make(name, T, text, inputs, numbers, result, run)
   local call, used = fused.call(T, T, text, inputs, numbers or {})
   local set = { fused.each(used, '   call.begin[#], call.row[#] = cast(char_p, X), X_row * ' .. T.size, '\n') }
   for _, x in ipairs(inputs) do
      local k = NUMBERS[x]
      if k then set[#set + 1] = string.format('   numbers[%d], number_row[%d] = %s, %s_row * %d', k, k, x, x,
         T.size) end
   end
   return template.compile(name, source, { inputs = fused.each(inputs, 'X, X_row'), result = result,
      set = table.concat(set, '\n'), run = (string.gsub(string.gsub(run, 'LAST', #used), 'SIZE', T.size)) },
         { call = call,
      numbers = call.numbers, number_row = call.number_row, lib = kernels 'elementwise', cast = ffi.cast,
      char_p = ffi.typeof 'char *' })
end

function row_programs.map(name, T, text, inputs, numbers)
   return make(name, T, text, inputs, numbers, 'z, z_row',
      'call.begin[LAST], call.row[LAST] = cast(char_p, z), z_row * SIZE; lib.t7_run_rows(call)')
end

function row_programs.sums(name, T, text, inputs)
   return make(name, T, text, inputs, nil, 'z', 'lib.t7_sum_rows(call, z)')
end

function row_programs.totals(name, T, text, inputs)
   return make(name, T, text, inputs, nil, 'z', 'lib.t7_sum_columns(call, z)')
end

return row_programs
