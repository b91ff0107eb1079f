-- Reductions of Floats and doubles along a dimension by machine code, on all cores. See base/reduction_code.lua.

local ffi = require 'ffi'
local axis_chunks, parallel_for = require 'torch.parallel.axis_chunks', require 'torch.parallel.parallel_for'
local native, template = require 'torch.native.native', require 'torch.jit.template'
local reduction_code, types = require 'torch.base.reduction_code', require 'torch.base.types'

local axis_code = {}

-- Planes of results are `outer_step` elements apart. Rows of neighbors give a result each; other results must be
-- neighbors. Long columns are reduced in pieces of rows, as loops are shared: a core that has just written some of them
-- has these in its cache.
local source = [[
local function in_pieces(r, x, n, n_step, inner)
   local part = ceil(n / $PIECES)
   local count = ceil(n / part)
   local totals = doubles(count * inner)
   pieces.to, pieces.from, pieces.n, pieces.n_step = cast(char_p, totals), x, part, n_step
   pieces.whole, pieces.inner, pieces.outer_step, pieces.shifts = n, inner, part * n_step, p.shifts
   share_planes(count, 1, n * inner * $WORK, pieces)
   args[0], args[1], dims[0], dims[1], steps[2] = cast(char_p, totals), cast(char_p, r), inner, count, inner * 8
   together(args, dims, steps, nil)
end

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
   p.fn, p.to, p.from, p.step = fn, cast(char_p, r), cast(char_p, x), inner_step * $SIZE
   p.n, p.n_step, p.inner, p.outer_step = n, n_step * $SIZE, inner, outer_step * $SIZE
   p.whole, p.shift_step = n * outer, 0
   if shifts then p.shifts, p.shift_step = cast(char_p, shifts), 8 end
   if outer > 1 then
      share_planes(outer, 1, outer * inner * n * $WORK, p)
   elseif fn == columns and n >= $LONG and n * inner >= $LARGE then
      in_pieces(r, p.from, n, p.n_step, inner)
   else
      share(inner, unit, inner * ($ROW + n * $WORK), p)
   end
   return true
end]]

-- Nanoseconds per byte and per row; columns that are best reduced together; fewest rows and elements of columns that
-- are reduced in pieces, and the number of pieces.
local WORK, ROW, UNIT, LONG, LARGE, PIECES = 0.03, 5, 32, 64, 2 ^ 16, 8

-- run(to, from, outer, outer_step, n, n_step, inner, inner_step, [shifts]): the terms of n elements, combined, for each
-- of outer x inner results, of type `result`; steps in elements. False if that is impossible. `shifts` are doubles from
-- which deviations are taken. Returns nil for other types, and where no such code can run; for doubles, only reductions
-- `in_turn`, element after element as in Torch7, which cannot be divided into pieces.
function axis_code.make(T, term, combine, result, in_turn)
   if T.name ~= 'Float' and not in_turn then return nil end
   local how = { combine = combine, result = result }
   local rows = reduction_code[T.name == 'Double' and 'in_turn' or 'rows'](T, term, how)
   local columns = reduction_code.columns(T, term, how)
   if not (rows and columns) then return nil end
   local Double = types.by_name.Double
   local p, pieces = axis_chunks.ct(), axis_chunks.ct()
   p.size, pieces.size, pieces.fn = result.size, 8, reduction_code.columns(T, term, { combine = combine })
   local values = { LONG = T.name == 'Double' and '1 / 0' or LONG, SIZE = T.size, WORK = WORK * T.size, ROW = ROW,
      UNIT = UNIT, LARGE = LARGE, PIECES = PIECES }
   return template.compile(term, source, values, { p = p, pieces = pieces, rows = rows, columns = columns,
      together = ffi.cast(native.loop_t, reduction_code.columns(Double, 'elements', how)), cast = ffi.cast,
      char_p = ffi.typeof 'char *', doubles = reduction_code.doubles, ceil = math.ceil,
      args = native.buffer('char *', 3), dims = native.buffer('intptr_t', 2), steps = native.buffer('intptr_t', 4),
      share = parallel_for.kind('torch.parallel.axis_chunks', 'code'),
      share_planes = parallel_for.kind('torch.parallel.axis_chunks', 'planes') })
end

return axis_code
