-- Loops, element-wise programs and sums for the kernels of one element type, see kernel_api.lua.

return function(T, k)

local find, gmatch = string.find, string.gmatch
local concat = table.concat
local ffi = require 'ffi'
local fused, template = require 'torch.kernels.elementwise.fused', require 'torch.jit.template'
local row_programs = require 'torch.kernels.elementwise.row_programs'
local kernels = require 'torch.native.kernels' 'reduce/reduce'
local copy, fill, SIZE = ffi.copy, ffi.fill, T.size

local sums, capacity = k.buffer(1), 1

function k.add_rows(m, n, alpha, a, c)
   if alpha == 1 then
      for i = 0, m - 1 do k.axpy(n, 1, a + i * n, c) end
      return
   end
   if n > capacity then sums, capacity = k.buffer(n), n end
   fill(sums, n * SIZE)
   for i = 0, m - 1 do k.axpy(n, 1, a + i * n, sums) end
   k.axpy(n, alpha, sums, c)
end

function k.set_rows(m, n, row, c)
   local bytes = n * SIZE
   for i = 0, m - 1 do copy(c + i * n, row, bytes) end
end

-- Compiles a program, whose language is explained at the top of fused.lua: 'z = (1 - w * w) * y'. Registers x, y and w
-- are contiguous operands; z is the result, which may be one of them; v and u are numbers of the call. The function
-- takes pointers, the number of elements, v and u: f(x, y, w, z, count, v, u), with nil for operands that the program
-- does not use.
local map_source = [[
return function(x, y, w, z, count, v, u)
   $set
   run($given, z, $size, count)
end]]

-- The operands and numbers that a program uses: lists of registers, buffers by name, and source that assigns them.
local function operands_of(text)
   local inputs, scalars, named, set = {}, {}, {}, {}
   for register in gmatch(text, '%f[%w_]([%a])%f[^%w_]') do named[register] = true end
   for register in gmatch('xyw', '.') do
      if named[register] then inputs[#inputs + 1] = register end
   end
   for register in gmatch('vu', '.') do
      if named[register] then
         scalars[register] = ffi.new(T.c .. '[1]')
         set[#set + 1] = register .. '_at[0] = ' .. register
      end
   end
   return inputs, scalars, concat(set, '; ')
end

function k.map(text)
   local inputs, scalars, set = operands_of(text)
   local given = {}
   for i, register in ipairs(inputs) do given[i] = register .. ', ' .. SIZE end
   return template.compile('nn', map_source, { set = set, given = concat(given, ', '), size = SIZE },
      { run = fused.make('nn', T, T, text, inputs, scalars), v_at = scalars.v, u_at = scalars.u })
end

local function rows_of(make, text)
   local inputs = {}
   for register in gmatch('xywrvuts', '.') do
      if find(text, '%f[%w_]' .. register .. '%f[^%w_]') then inputs[#inputs + 1] = register end
   end
   return make('nn', T, text, inputs)
end

function k.row_map(text) return rows_of(row_programs.map, text) end
function k.column_sums(text) return rows_of(row_programs.totals, text) end
function k.row_sums(text) return rows_of(row_programs.sums, text) end

-- The sum of n elements, in double precision.
function k.sum(n, x) return kernels.t7_reduce_all(T.index, kernels.T7_SUM, 0, x, n) end

-- The sum of a program's results over all elements: f(x, y, w, count, v, u).
local total_source = [[
return function(x, y, w, count, v, u)
   $set
   return (run($given, count))
end]]

function k.total(text)
   local inputs, scalars, set = operands_of(text)
   return template.compile('nn', total_source, { set = set, given = concat(inputs, ', ') },
      { run = fused.total('nn', T, text, inputs, scalars), v_at = scalars.v, u_at = scalars.u })
end

end
