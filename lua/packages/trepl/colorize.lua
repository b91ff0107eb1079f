-- A function for each colour, which puts its code before a text, and the code that ends colours after it.

local colors = require 'trepl.colors'

local colorize = {}
for name, code in pairs(colors) do
   colorize[name] = function(text) return code .. text .. colors.none end
end
return colorize
