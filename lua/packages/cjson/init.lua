-- cjson: JSON as lua-cjson reads and writes it.

local errors, make = require 'torch.base.errors', require 'cjson.make'

return make(errors.raise)
