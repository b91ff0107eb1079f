-- md5: digests of strings, as bytes and as hexadecimal digits.

local check = require 'torch.base.check'
local host = require('torch.native.host').of 'text'

local md5 = {}

-- 16 bytes.
function md5.sum(text) return host.md5(check.kind('md5.sum', 'text', text, 'string')) end

-- 32 digits.
function md5.sumhexa(text)
   local digest = host.md5(check.kind('md5.sumhexa', 'text', text, 'string'))
   return (string.gsub(digest, '.', function(c) return string.format('%02x', string.byte(c)) end))
end

-- The bytes of two strings of the same length, combined by exclusive or.
function md5.exor(a, b)
   check.kind('md5.exor', 'argument 1', a, 'string')
   if #check.kind('md5.exor', 'argument 2', b, 'string') ~= #a then
      check.fail('md5.exor', 'strings must be of one length (got %d and %d bytes)', #a, #b)
   end
   local bxor, out = require('bit').bxor, {}
   for i = 1, #a do out[i] = string.char(bxor(string.byte(a, i), string.byte(b, i))) end
   return table.concat(out)
end

return md5
