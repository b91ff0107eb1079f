-- Reductions of Floats along a dimension by machine code, on all cores. See base/reduction_code.lua.

local ffi = require 'ffi'
local axis_chunks, parallel_for = require 'torch.parallel.axis_chunks', require 'torch.parallel.parallel_for'
local reduction_code, template = require 'torch.base.reduction_code', require 'torch.jit.template'

local axis_code = {}

-- Elements of different planes are as far from each other as `outer_step` says. Rows of neighbors are results of their
-- own; other results must be neighbors.
local source = [[
return function(r, x, outer, outer_step, n, n_step, inner, inner_step, shifts)
   if inner == 1 and n_step == 1 then
      inner, inner_step, outer = outer, outer_step, 1
   end
   local fn, unit = columns, $UNIT
   if n_step == 1 and outer == 1 then
      fn, unit = rows, 1
   elseif inner_step ~= 1 then
      return false
   end
   p.fn, p.to, p.from, p.step = fn, cast(char_p, r), cast(char_p, x), inner_step * $size
   p.n, p.n_step, p.inner, p.outer_step = n, n_step * $size, inner, outer_step * $size
   p.shifts, p.shift_step = shifts and cast(char_p, shifts) or p.shifts, shifts and 8 or 0
   if outer == 1 then
      share(inner, unit, inner * ($ROW + n * $WORK), p)
   else
      share_planes(outer, 1, outer * inner * n * $WORK, p)
   end
   return true
end]]

-- Nanoseconds for an element and for a row, and columns that are best taken together.
local WORK, ROW, UNIT = 0.12, 5, 32

-- run(to, from, outer, outer_step, n, n_step, inner, inner_step, [shifts]): the terms of n elements, combined, for each
-- of outer x inner results, of type `result`; steps in elements. False where it cannot be done. `shifts` are doubles
-- from which deviations are taken. Returns nil for other types, and where no such code can run.
function axis_code.make(T, term, combine, result)
   if T.name ~= 'Float' then return nil end
   local how = { combine = combine, result = result }
   local rows, columns = reduction_code.rows(T, term, how), reduction_code.columns(T, term, how)
   if not (rows and columns) then return nil end
   local p = axis_chunks.ct()
   p.size = result.size
   return template.compile(term, source, { size = T.size, WORK = WORK, ROW = ROW, UNIT = UNIT }, { p = p, rows = rows,
      columns = columns, cast = ffi.cast, char_p = ffi.typeof 'char *',
      share = parallel_for.kind('torch.parallel.axis_chunks', 'code'),
      share_planes = parallel_for.kind('torch.parallel.axis_chunks', 'planes') })
end

return axis_code
