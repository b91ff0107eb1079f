-- csvigo: files of comma-separated values as tables of columns, lists of rows, or something to ask.

local csvigo = { load = require 'csvigo.load', save = require 'csvigo.save' }
rawset(_G, 'csvigo', csvigo)
require 'dok'
require 'csvigo.File' (csvigo)

return csvigo
