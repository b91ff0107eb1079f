-- xlua: helpers that many Torch7 scripts share: progress bars, named arguments, options, profiling.

local lazy = require 'torch.class.lazy'

local xlua = {}

-- Other parts use the earlier ones.
for _, part in ipairs { 'strings', 'lists', 'show', 'progress', 'loading', 'workspace' } do
   require('xlua.' .. part)(xlua)
end
lazy.functions(xlua, { 'usage', 'usage_module', 'error' }, function() require 'xlua.usage'(xlua) end)
lazy.functions(xlua, { 'unpack', 'unpack_class' }, function() require 'xlua.unpack'(xlua) end)
lazy.functions(xlua, { 'OptionParser', 'Profiler' }, function()
   xlua.OptionParser, xlua.Profiler = require 'xlua.option_parser', require 'xlua.profiler'
end)

_G.xprint, _G.xerror, _G.xrequire = xlua.print, xlua.error, xlua.require

return xlua
