-- cjson: JSON as lua-cjson reads and writes it.

local make = require 'cjson.make'

-- Programs compare messages, which have no position.
return make(function(message) error(message, 0) end)
