-- Convolutions with steps, and wavelets.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(signal)

   -- Sums of products of a kernel and each part of a signal, every `stride` samples. The mode 'same' takes zeros after
   -- the end.
   function signal.conv1d(x, kernel, stride, mode)
      local name = 'signal.conv1d'
      check.real(name, 'argument 1', x)
      check.dimensions(name, 'argument 1', x, 1, 1)
      check.dimensions(name, 'argument 2', kernel, 1, 1)
      check.size(name, 'stride', stride)
      mode = check.one_of(name, 'mode', mode or 'valid', { 'valid', 'same' })
      local size, width = x:size(1), kernel:size(1)
      local count = math.floor((size - width + stride) / stride)
      if mode == 'same' then
         count = math.floor(math.max(size / stride, width / stride))
         local longer = x.new(math.max(size, (count - 1) * stride + width)):zero()
         longer:narrow(1, 1, size):copy(x)
         x = longer
      end
      if count < 1 then check.refuse(name, 'argument 1', ('a signal of at least %d'):format(width), x) end
      return torch.mv(x:unfold(1, width, stride):narrow(1, 1, count), kernel:typeAs(x))
   end

   -- The functions of the Haar wavelet: means and half differences of pairs.
   function signal.wavelet.haar1d()
      local function with(kernel)
         return function(x) return signal.conv1d(x, torch.Tensor(kernel), 2) end
      end
      return with { 0.5, 0.5 }, with { 0.5, -0.5 }
   end

   -- The wavelet transform of a signal, with zeros up to a power of 2, by such functions: a list of the coefficients of
   -- each level, at most `most` of them, and what is left.
   function signal.wavelet.dwt1d(x, phi, psi, most)
      local function log2(count) return math.log(count) / math.log(2) end
      check.real('signal.wavelet.dwt1d', 'argument 1', x)
      if log2(x:size(1)) % 2 ~= 0 then
         local longer = x.new(2 ^ math.ceil(log2(x:size(1)))):zero()
         longer:narrow(1, 1, x:size(1)):copy(x)
         x = longer
      end
      local list = {}
      for i = 1, math.min(math.floor(log2(x:size(1)) + 1e-9), most or math.huge) do
         list[i] = psi(x)
         x = phi(x)
      end
      return list, x
   end
end
