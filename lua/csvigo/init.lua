-- csvigo: files of comma-separated values as tables of columns, lists of rows, or something to ask.

local require = require

return { load = require 'csvigo.load', save = require 'csvigo.save' }
