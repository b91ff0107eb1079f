-- Windows, and spectra of the parts of a signal that they cut out.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(signal)

   -- A tensor of f(phase of each of `count` points, from 0 to a turn at the last one), or at the first one after.
   local function window(name, count, flag, f)
      check.size(name, 'argument 1', count)
      local turn = flag == 'periodic' and count or count - 1
      if turn == 0 then return torch.ones(1) end
      return torch.range(0, count - 1):mul(2 * math.pi / turn):apply(f)
   end

   -- Windows of `count` points; the flag 'periodic' leaves the last of one point more out.
   function signal.hann(count, flag)
      return window('signal.hann', count, flag, function(a) return 0.5 - 0.5 * math.cos(a) end)
   end

   function signal.blackman(count, flag)
      return window('signal.blackman', count, flag, function(a)
         return 0.42 - 0.5 * math.cos(a) + 0.08 * math.cos(2 * a)
      end)
   end

   function signal.blackmanharris(count, flag)
      return window('signal.blackmanharris', count, flag, function(a)
         return 0.35875 - 0.48829 * math.cos(a) + 0.14128 * math.cos(2 * a) - 0.01168 * math.cos(3 * a)
      end)
   end

   local SHAPES = {
      hamming = function(a) return 0.53836 - 0.46164 * math.cos(a) end,
      hann = function(a) return 0.5 - 0.5 * math.cos(a) end,
      bartlett = function(a) return 1 - math.abs(a / math.pi - 1) end,
      rect = function() return 1 end,
   }

   -- The windows of a signal, a row each.
   local function rows_of(name, x, size, stride, shape)
      check.real(name, 'argument 1', x)
      check.dimensions(name, 'argument 1', x, 1, 1)
      check.size(name, 'size', size)
      check.size(name, 'stride', stride)
      if x:size(1) < size then check.refuse(name, 'argument 1', ('a signal of at least %d'):format(size), x) end
      local rows = x:unfold(1, size, stride):clone()
      check.one_of(name, 'window', shape or 'rect', { 'bartlett', 'hamming', 'hann', 'rect' })
      local f = SHAPES[shape or 'rect']
      return rows:cmul(window(name, size, nil, f):typeAs(x):view(1, -1):expandAs(rows))
   end

   -- Spectra of windows, windows x size x 2.
   function signal.stft(x, size, stride, shape) return signal.fftM(rows_of('signal.stft', x, size, stride, shape)) end

   -- Their halves, windows x (size / 2 + 1) x 2.
   function signal.rstft(x, size, stride, shape)
      return signal.rfftM(rows_of('signal.rstft', x, size, stride, shape))
   end

   -- Ten times the logarithms of their squared magnitudes and 0.01, (size / 2 + 1) x windows.
   function signal.spectrogram(x, size, stride)
      local halves = signal.rfftM(rows_of('signal.spectrogram', x, size, stride))
      return halves:pow(2):sum(3):select(3, 1):add(0.01):log():mul(10):transpose(1, 2)
   end
end
