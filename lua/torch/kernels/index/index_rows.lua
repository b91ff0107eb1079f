-- Rows of elements that are moved by indices, as machine code and on all cores.

local ffi = require 'ffi'
local index_chunks, index_code = require 'torch.parallel.index_chunks', require 'torch.base.index_code'
local parallel_for, template = require 'torch.parallel.parallel_for', require 'torch.jit.template'

-- Rows with one destination, to which several may write, are not shared between cores.
local source = [[
return function(ordered, ordered_row, ordered_step, places, places_row, step, indices, index_row, stride, count, rows)
   local steps = p.steps
   p.fn = ordered_step == 1 and step == 0 and stride == 1 and dense or general
   p.args[0], p.args[1], p.args[2] = cast(char_p, ordered), cast(char_p, places - stride), cast(char_p, indices)
   steps[0], steps[1], steps[2] = ordered_row * $SIZE, places_row * $SIZE, index_row * 8
   steps[3], steps[4], steps[5], steps[6] = step * $SIZE, stride * $SIZE, ordered_step * $SIZE, count
   if $reads or places_row ~= 0 then share(rows, 1, rows * count * $WORK, p) else alone(p, 0, rows) end
end]]

-- Nanoseconds for an element.
local WORK = 1.5

-- The function that moves elements of a type, `what` as for index_code; nil where there is no code for it. The elements
-- in order, with steps between rows and elements, correspond to the indexed ones: at `places`, with steps between rows
-- and elements, plus `stride` for each of an index, from 1. Steps are in elements, those of indices too.
return function(name, T, what)
   local general = index_code(T, what, false)
   if not general then return nil end
   return template.compile(name, source, { SIZE = T.size, WORK = WORK, reads = what == 'gather' and 'true' or 'false' },
      { p = ffi.new 't7_indexed', general = general, dense = index_code(T, what, true), cast = ffi.cast,
         char_p = ffi.typeof 'char *', alone = index_chunks.rows,
         share = parallel_for.kind('torch.parallel.index_chunks', 'rows') })
end
