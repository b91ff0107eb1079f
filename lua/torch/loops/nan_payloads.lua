-- Replaces NaNs that LuaJIT takes for other values, such as strings at arbitrary addresses. The FFI does not check the
-- numbers that it reads: torch reads elements by element.getter, but kernels of other packages load them directly. So
-- every NaN with a payload is replaced in data from elsewhere. See docs/decisions/0011-nan-payloads.md.

local kernels = require 'torch.native.kernels' 'reduce/nans'

local nan_payloads = {}

-- Tells whether there is a NaN among `count` elements.
function nan_payloads.has_nan(T, data, count) return kernels.t7_has_nan(T.index, data, count) == 1 end

function nan_payloads.clean(T, data, count) kernels.t7_clean_nans(T.index, data, count) end

return nan_payloads
