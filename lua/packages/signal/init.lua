-- signal: transforms of signals, of SciPy. Complex tensors have a last dimension of 2, the real and imaginary part.

local array_calls = require 'torch.utility.array_calls'
local check = require 'torch.base.check'

local signal = { complex = {}, wavelet = {} }
rawset(_G, 'signal', signal)

local function define(target, name, full, count)
   target[name] = function(...)
      local x = ...
      check.real(full, 'argument 1', x)
      local found = array_calls.call(full, ...)
      for i, value in ipairs(found) do
         if x:type() == 'torch.FloatTensor' and type(value) ~= 'number' then found[i] = value:float() end
      end
      return unpack(found, 1, count)
   end
end

for _, name in ipairs {
   'fft', 'ifft', 'fft2', 'ifft2', 'fft3', 'ifft3', 'rfft', 'irfft', 'rfft2', 'irfft2', 'fftM', 'ifftM', 'rfftM',
   'irfftM', 'dct', 'idct', 'dct2', 'idct2', 'dct3', 'idct3', 'hilbert', 'rceps',
} do define(signal, name, 'signal.' .. name, 1) end

for _, name in ipairs {
   'real', 'imag', 'abs', 'angle', 'conj', 'cmul', 'dot', 'prod', 'cart2polar', 'polar2cart',
} do define(signal.complex, name, 'signal.complex.' .. name, 1) end

for _, part in ipairs {
   'windows',       -- hann, blackman, blackmanharris; stft, rstft, spectrogram
   'phases',        -- unwrap, rcunwrap, rcwrap; cceps, icceps
   'wavelet',       -- conv1d; wavelet.haar1d, dwt1d
   'complex',       -- complex.exp, mm, diag, poly
} do
   require('signal.' .. part)(signal)
end

return signal
