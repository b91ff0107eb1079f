-- clnn: networks on OpenCL devices: net:cl() is net:cuda().

require 'cltorch'
require 'cunn'
local nn = require 'nn'

for _, class in ipairs { nn.Module, nn.Criterion } do
   function class:cl() return self:cuda() end
end

return nn
