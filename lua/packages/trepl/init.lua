-- trepl: the prompt of Torch7. Scripts require it for its printing, which is available from the start.

local check = require 'torch.base.check'

return function()
   check.fail('trepl', 'its prompt is that of t7: `t7 -i script.lua` starts it after a script')
end
