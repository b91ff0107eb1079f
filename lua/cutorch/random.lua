-- Random numbers of the device: a stream of their own, which the CPU's does not touch.

local torch = require 'torch'

return function(cutorch, devices)
   function cutorch.manualSeed(seed) return torch.manualSeed(devices.generator, seed) end

   function cutorch.seed() return torch.seed(devices.generator) end

   function cutorch.initialSeed() return torch.initialSeed(devices.generator) end

   function cutorch.getRNGState() return torch.getRNGState(devices.generator) end

   function cutorch.setRNGState(state) return torch.setRNGState(devices.generator, state) end

   cutorch.manualSeedAll, cutorch.seedAll = cutorch.manualSeed, cutorch.seed
end
