-- The codes of sys.COLORS and of attributes, all of them empty if standard output is not a terminal.

local colors = { bright = '\27[1m', dim = '\27[2m', underline = '\27[4m', blink = '\27[5m', reverse = '\27[7m',
   hidden = '\27[8m' }
for name, code in pairs(require 'sys.colors') do colors[name] = code end

if not require('torch.io.descriptor').is_terminal(nil, 1) then
   for name in pairs(colors) do colors[name] = '' end
end
return colors
