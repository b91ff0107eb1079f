-- The codes of sys.COLORS, all of them empty if standard output is not a terminal.

local codes = require 'sys.colors'

if require('torch.io.descriptor').is_terminal(nil, 1) then return codes end

local none = {}
for name in pairs(codes) do none[name] = '' end
return none
