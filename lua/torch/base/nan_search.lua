-- Tells whether there is a NaN among neighbors in memory: NumPy's loop takes a tenth of the time that
-- element.getter takes for a look at each. Where there is none, and nobody else writes, loops may read plainly.
-- See docs/decisions/0011-nan-payloads.md.

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

-- f(data, count) for floats or doubles, by NumPy's loop for the greater of two, which passes NaN. An infinity may count
-- as one. Only the words of the result are looked at.
function nan_search.make(T, maximum)
   local greatest = aligned(T.c, 1)
   return template.compile('NaN', source, values[T.name], { maximum = maximum, greatest = greatest,
      words = ffi.cast('int32_t *', greatest), band = bit.band, huge = math.huge })
end

return nan_search
