-- cudnn.benchmark and cudnn.fastest on a device of PyTorch: both let cuDNN time its algorithms for new sizes.

local host = require('torch.native.host').of 'cutorch'

return function(cudnn)
   local switches = { benchmark = cudnn.benchmark, fastest = cudnn.fastest }
   for name in pairs(switches) do rawset(cudnn, name, nil) end
   setmetatable(cudnn, {
      __index = function(_, name) return switches[name] end,
      __newindex = function(_, name, value)
         if switches[name] == nil then return rawset(cudnn, name, value) end
         switches[name] = value and true or false
         host.time_algorithms(switches.benchmark or switches.fastest)
      end,
   })
end
