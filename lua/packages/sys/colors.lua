-- sys.COLORS, a separate module: the codes that colour later text on a terminal.
-- red is dark, Red is bold, _red a background.

local NAMES = { 'black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white' }

local colors = { none = '\27[0m' }
for i, name in ipairs(NAMES) do
   colors[name] = '\27[0;3' .. i - 1 .. 'm'
   colors[string.gsub(name, '^.', string.upper)] = '\27[1;3' .. i - 1 .. 'm'
   colors['_' .. name] = '\27[4' .. i - 1 .. 'm'
end

return colors
