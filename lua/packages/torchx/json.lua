-- torch.json: JSON whose null is nil, unless another value is asked for.

local check = require 'torch.base.check'
local decode = require 'cjson.decode'
local json_encode = require 'torchx.json_encode'

local DEPTH = 1000

local json = {
   null = require('cjson').null, quotestring = json_encode.quotestring,
   encodeexception = json_encode.encodeexception,
}

json.encode = json_encode.encoder(json.null)

-- Returns the value that begins at a position and the position after it; for text that is not JSON nil, the position
-- of the error and a message. `null` stands for null, by default nil. Further arguments are the metatables of objects
-- and arrays; by default they tell json.encode which of them an empty table is.
function json.decode(text, position, null, ...)
   local object_meta, array_meta = { __jsontype = 'object' }, { __jsontype = 'array' }
   if select('#', ...) > 0 then object_meta, array_meta = ... end
   check.kind('json.decode', 'argument 1', text, 'string')
   position = check.size('json.decode', 'position', position or 1)
   if object_meta ~= nil then check.kind('json.decode', 'metatable of objects', object_meta, 'table') end
   if array_meta ~= nil then check.kind('json.decode', 'metatable of arrays', array_meta, 'table') end
   local ok, value, after = decode(text, {
      null = null, decode_depth = DEPTH, first = position,
      object_meta = object_meta, array_meta = array_meta,
   })
   if not ok then return nil, after or position, value end
   return value, after
end

return json
