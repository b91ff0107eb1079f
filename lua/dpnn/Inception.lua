-- nn.Inception: convolutions of several sizes, and a pooling, over the same maps, their outputs side by side.

local check = require 'torch.base.check'

return function(Inception, parent, nn)

   -- config: inputSize, and for each convolution outputSize, reduceSize (maps of the 1 x 1 convolution before it),
   -- kernelSize (3, 5, ...) and kernelStride; reduceSize[#kernelSize + 1] maps follow the pooling of poolSize, by
   -- default 3, and reduceSize[#kernelSize + 2] a plain 1 x 1 convolution. transfer is the module after each.
   function Inception:__init(config)
      check.kind('Inception', 'configuration', config, 'table')
      for _, key in ipairs { 'outputSize', 'reduceSize' } do check.kind('Inception', key, config[key], 'table') end
      local inputs = check.size('Inception', 'inputSize', config.inputSize)
      local sizes, strides = config.kernelSize or { 5, 3 }, config.kernelStride or {}
      local transfer, pool_size = config.transfer or nn.ReLU(), config.poolSize or 3
      local function reduce(part, maps, stride)
         part:add(nn.SpatialConvolution(inputs, maps, 1, 1, stride or 1, stride or 1)):add(transfer:clone())
         return part
      end
      local all = nn.DepthConcat(2)
      for i, size in ipairs(sizes) do
         local pad = (size - size % 2) / 2
         local stride = strides[i] or 1
         all:add(reduce(nn.Sequential(), config.reduceSize[i])
            :add(nn.SpatialConvolution(config.reduceSize[i], config.outputSize[i], size, size, stride, stride, pad,
               pad)):add(transfer:clone()))
      end
      local behind_pool, plain = config.reduceSize[#sizes + 1], config.reduceSize[#sizes + 2]
      if behind_pool then
         local pad = (pool_size - pool_size % 2) / 2
         local pool = config.pool or nn.SpatialMaxPooling(pool_size, pool_size, 1, 1, pad, pad)
         all:add(reduce(nn.Sequential():add(pool), behind_pool))
      end
      if plain then all:add(reduce(nn.Sequential(), plain)) end
      parent.__init(self, all)
   end
end
