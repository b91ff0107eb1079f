-- signal: transforms of signals, of SciPy. Complex tensors have a last dimension of 2, the real and imaginary part.

local array_calls = require 'torch.utility.array_calls'
local check = require 'torch.base.check'

local signal = { complex = {} }
rawset(_G, 'signal', signal)

local WINDOWED = { stft = true, spectrogram = true }      -- functions of x, size, stride [, window]

local function define(target, name, full, count)
   target[name] = function(...)
      local x, size, stride = ...
      check.real(full, 'argument 1', x)
      if WINDOWED[name] then
         check.size(full, 'size', size)
         check.size(full, 'stride', stride)
      end
      local found = array_calls.call(full, ...)
      for i, value in ipairs(found) do
         if x:type() == 'torch.FloatTensor' and type(value) ~= 'number' then found[i] = value:float() end
      end
      return unpack(found, 1, count)
   end
end

for _, name in ipairs {
   'fft', 'ifft', 'fft2', 'ifft2', 'fft3', 'ifft3', 'rfft', 'irfft', 'rfft2', 'dct', 'idct', 'dct2', 'idct2', 'dct3',
   'idct3', 'stft', 'spectrogram', 'hilbert', 'rceps', 'unwrap',
} do define(signal, name, 'signal.' .. name, 1) end

for _, name in ipairs {
   'real', 'imag', 'abs', 'angle', 'conj', 'cmul', 'dot', 'prod', 'cart2polar', 'polar2cart',
} do define(signal.complex, name, 'signal.complex.' .. name, 1) end

return signal
