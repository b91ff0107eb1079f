-- xlua: helpers that scripts of the time shared: progress bars, named arguments, options, profiling.

local xlua = {}

-- Other parts use the earlier ones.
for _, part in ipairs { 'strings', 'lists', 'show', 'usage', 'unpack', 'progress', 'loading', 'workspace' } do
   require('xlua.' .. part)(xlua)
end
xlua.OptionParser = require 'xlua.option_parser'
xlua.Profiler = require 'xlua.profiler'

_G.xprint, _G.xerror, _G.xrequire = xlua.print, xlua.error, xlua.require

return xlua
