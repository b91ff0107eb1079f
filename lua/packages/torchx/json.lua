-- torch.json: JSON whose null is nil, unless another value is asked for.

local check = require 'torch.base.check'
local decode, encode = require 'cjson.decode', require 'cjson.encode'

local DEPTH = 1000

local json = { null = require('cjson').null }

-- Numbers that JSON lacks become null, and an empty table becomes an array.
function json.encode(value)
   return encode(value, {
      null = json.null, encode_depth = DEPTH, precision = 14, invalid_out = 'null', convert = true, ratio = 2,
      safe = 10, plain_slashes = true, empty_arrays = true,
   })
end

-- Returns the value that begins at a position and the position after it; for text that is not JSON nil, the position
-- of the error and a message. `null` stands for null, by default nil.
function json.decode(text, position, null)
   check.kind('json.decode', 'argument 1', text, 'string')
   position = check.size('json.decode', 'position', position or 1)
   local ok, value, after = decode(text, { null = null, decode_depth = DEPTH, first = position })
   if not ok then return nil, after or position, value end
   return value, after
end

return json
