-- Tells whether contiguous elements contain a NaN: NumPy's loop takes a tenth of the time of reading each by
-- element.getter. Without one, and if nothing else writes, loops may read directly. See
-- docs/decisions/0011-nan-payloads.md.

local bit, ffi = require 'bit', require 'ffi'
local aligned, template = require 'torch.native.aligned', require 'torch.jit.template'

local nan_search = {}

local source = [[
return function(data, count)
   greatest[0] = -huge
   maximum(greatest, 0, data, $size, greatest, 0, count)
   return band(words[$upper], $exponent) == $exponent
end]]

local values = {
   Double = { size = 8, upper = 1, exponent = 0x7ff00000 },
   Float = { size = 4, upper = 0, exponent = 0x7f800000 },
}

-- f(data, count) for floats or doubles, by NumPy's maximum loop, which propagates NaN. An infinity may count as one.
-- Only the words of the result are examined.
function nan_search.make(T, maximum)
   local greatest = aligned(T.c, 1)
   return template.compile('NaN', source, values[T.name], { maximum = maximum, greatest = greatest,
      words = ffi.cast('int32_t *', greatest), band = bit.band, huge = math.huge })
end

return nan_search
