-- mime: encodings of strings as LuaSocket's module has them, for whole strings: b64, unb64, qp, unqp, eol. The second
-- argument continues the string; the second result, the rest, is always empty. An installed LuaSocket goes first.

local check = require 'torch.base.check'
local host = require('torch.native.host').of 'text'

local mime = { _VERSION = 'MIME 1.0' }

for name, function_name in pairs { b64 = 'base64', unb64 = 'unbase64', qp = 'quoted', unqp = 'unquoted' } do
   mime[name] = function(text, more)
      if text == nil then return nil, nil end
      check.kind('mime.' .. name, 'text', text, 'string')
      if more ~= nil then text = text .. check.kind('mime.' .. name, 'argument 2', more, 'string') end
      return host[function_name](text), ''
   end
end

-- Lines that end with CR LF, or with `marker`.
function mime.eol(_, text, marker)
   check.kind('mime.eol', 'text', text, 'string')
   local ending = string.gsub(marker or '\r\n', '%%', '%%%%')
   return (string.gsub(string.gsub(string.gsub(text, '\r\n', '\n'), '\r', '\n'), '\n', ending))
end

return mime
