-- Random numbers of the device, separate from the CPU's. With PyTorch there are two generators: the device's, and one
-- for operations that the CPU computes for it. One seed serves both, and a state holds both. Each device has its own
-- pair.

local torch = require 'torch'
local check, host = require 'torch.base.check', require('torch.native.host').of 'cutorch'

return function(cutorch, devices, pytorch_device)
   function cutorch.manualSeed(seed)
      torch.manualSeed(devices.generator, seed)
      if pytorch_device then host.seed(torch.initialSeed(devices.generator)) end
   end

   function cutorch.seed()
      local seed = torch.seed(devices.generator)
      if pytorch_device then host.seed(seed) end
      return seed
   end

   function cutorch.initialSeed() return torch.initialSeed(devices.generator) end

   -- The state of the CPU's generator comes first; it always has the same size.
   function cutorch.getRNGState()
      local state = torch.getRNGState(devices.generator)
      if not pytorch_device then return state end
      local storage = torch.CharStorage():string(host.generator_state())
      return torch.cat(state, torch.CharTensor(storage):byte(), 1)
   end

   function cutorch.setRNGState(state)
      if not pytorch_device then return torch.setRNGState(devices.generator, state) end
      local count = torch.getRNGState(devices.generator):nElement()
      if not torch.isTensor(state) or state:nElement() <= count then
         check.argument_error('cutorch.setRNGState', 'argument 1', 'a state of cutorch.getRNGState', state)
      end
      torch.setRNGState(devices.generator, state:narrow(1, 1, count))
      local rest = state:narrow(1, count + 1, state:nElement() - count)
      host.set_generator_state(rest:char():clone():storage():string())
   end

   -- Calls a function for each device, with that device current.
   local function on_all(f, ...)
      for number = 1, cutorch.getDeviceCount() do cutorch.withDevice(number, f, ...) end
   end

   function cutorch.manualSeedAll(seed) on_all(cutorch.manualSeed, seed) end

   -- One seed for all devices.
   function cutorch.seedAll()
      local seed = cutorch.seed()
      on_all(cutorch.manualSeed, seed)
      return seed
   end
end
