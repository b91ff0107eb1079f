-- cjson.safe: cjson whose encode and decode return nil and a message for data that they reject.

local make = require 'cjson.make'

return make(function(message) return nil, message end)
