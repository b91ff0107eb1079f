-- signal: transforms of signals, of SciPy. Complex tensors have a last dimension of 2, the real and imaginary part.

local array_calls = require 'torch.utility.array_calls'
local check = require 'torch.base.check'
local torch = require 'torch'

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

-- Windows, and spectra of the parts of a signal that they cut out.

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
   -- As in the original, a single point is 1 with the flag, too.
   return window('signal.blackman', count, count ~= 1 and flag, function(a)
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
   if x:size(1) < size then
      check.argument_error(name, 'argument 1', string.format('a signal of at least %d', size), x)
   end
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

-- Phase unwrapping and cepstra.

local function vector(name, x)
   check.real(name, 'argument 1', x)
   check.dimensions(name, 'argument 1', x, 1, 1)
   return x
end

-- Unwrapped phases: jumps of more than `tolerance` are reduced by multiples of 2 pi.
function signal.unwrap(phases, tolerance)
   local list = vector('signal.unwrap', phases):totable()
   tolerance = math.abs(tolerance or math.pi)
   for i = 2, #list do
      local leap = list[i] - list[i - 1]
      if math.abs(leap) > tolerance then
         list[i] = list[i] - 2 * math.pi * math.ceil((leap - tolerance) / (2 * math.pi))
      end
   end
   local i = 0
   return phases:clone():apply(function()
      i = i + 1
      return list[i]
   end)
end

local function middle(count) return math.floor((count + 1) / 2) end

-- Adds a linear component with `turns` half turns in the middle.
local function add_line(phases, turns)
   local count, i = middle(phases:size(1)), -1
   return phases:apply(function(phase)
      i = i + 1
      return phase + math.pi * turns * i / count
   end)
end

-- Unwrapped phases without the linear component of a delay, and the number of half turns of that component.
function signal.rcunwrap(phases)
   local found = signal.unwrap(phases)
   local turns = found[middle(found:size(1)) + 1] / math.pi
   turns = turns >= 0 and math.floor(turns + 0.5) or math.ceil(turns - 0.5)
   if turns ~= 0 then add_line(found, -turns) end
   return found, turns
end

-- Phases with such a component.
function signal.rcwrap(phases, turns)
   local found = vector('signal.rcwrap', phases):clone()
   if turns and turns ~= 0 then add_line(found, turns) end
   return found
end

-- The complex cepstrum, and the number of half turns that icceps needs to restore the signal.
function signal.cceps(x)
   local spectrum = signal.fft(x)
   local logarithm = spectrum:clone()
   logarithm:select(2, 1):copy(signal.complex.abs(spectrum):log())
   local phases, turns = signal.rcunwrap(signal.complex.angle(spectrum))
   logarithm:select(2, 2):copy(phases)
   return signal.ifft(logarithm):select(2, 1), turns
end

function signal.icceps(cepstrum, turns)
   local logarithm = signal.fft(vector('signal.icceps', cepstrum))
   logarithm:select(2, 2):copy(signal.rcwrap(logarithm:select(2, 2), turns))
   return signal.ifft(signal.complex.exp(logarithm)):select(2, 1)
end

-- Convolutions with steps, and wavelets.

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
   if count < 1 then check.argument_error(name, 'argument 1', string.format('a signal of at least %d', width), x) end
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
-- each level, at most `max_levels` of them, and the remainder.
function signal.wavelet.dwt1d(x, phi, psi, max_levels)
   local function log2(count) return math.log(count) / math.log(2) end
   check.real('signal.wavelet.dwt1d', 'argument 1', x)
   if log2(x:size(1)) % 2 ~= 0 then
      local longer = x.new(2 ^ math.ceil(log2(x:size(1)))):zero()
      longer:narrow(1, 1, x:size(1)):copy(x)
      x = longer
   end
   local list = {}
   for i = 1, math.min(math.floor(log2(x:size(1)) + 1e-9), max_levels or math.huge) do
      list[i] = psi(x)
      x = phi(x)
   end
   return list, x
end

-- Exponentials, products and diagonals of complex matrices, and polynomials of roots.

local complex = signal.complex

local function numbers(name, x, min_dim, max_dim)
   check.real(name, 'argument 1', x)
   check.dimensions(name, 'argument 1', x, min_dim, max_dim)
   if x:size(x:dim()) ~= 2 then check.argument_error(name, 'argument 1', 'complex numbers, ... x 2', x) end
   return x
end

function complex.exp(x)
   local found = numbers('signal.complex.exp', x, 2, 2):clone()
   local size, angle = torch.exp(x:select(2, 1)), x:select(2, 2)
   found:select(2, 1):copy(size):cmul(torch.cos(angle))
   found:select(2, 2):copy(size):cmul(torch.sin(angle))
   return found
end

-- The product of matrices, n x m x 2 and m x p x 2.
function complex.mm(a, b)
   numbers('signal.complex.mm', a, 3, 3)
   numbers('signal.complex.mm', b, 3, 3)
   if a:size(2) ~= b:size(1) then
      check.argument_error('signal.complex.mm', 'argument 2', string.format('%d rows', a:size(2)), b)
   end
   local found = a.new(a:size(1), b:size(2), 2):zero()
   local real, imaginary = found:select(3, 1), found:select(3, 2)
   local ar, ai, br, bi = a:select(3, 1), a:select(3, 2), b:select(3, 1), b:select(3, 2)
   real:copy(torch.mm(ar, br) - torch.mm(ai, bi))
   imaginary:copy(torch.mm(ar, bi) + torch.mm(ai, br))
   return found
end

-- The matrix of a diagonal, n x n x 2, or the diagonal of a matrix, n x 2.
function complex.diag(x)
   local d = numbers('signal.complex.diag', x, 2, 3):dim()
   local real, imaginary = torch.diag(x:select(d, 1)), torch.diag(x:select(d, 2))
   return torch.cat(real:view(-1, 1), imaginary:view(-1, 1), 2):view(unpack(
      real:dim() == 1 and { real:size(1), 2 } or { real:size(1), real:size(2), 2 }))
end

-- The coefficients, the highest power first, of the polynomial whose roots are a vector, or the eigenvalues of a
-- matrix: complex ones, n x 2, unless they come in conjugate pairs. As in the original, real and imaginary parts of
-- complex roots are multiplied separately.
function complex.poly(x)
   check.real('signal.complex.poly', 'argument 1', x)
   check.dimensions('signal.complex.poly', 'argument 1', x, 1, 2)
   local roots = x:dim() == 1 and x:view(-1, 1) or torch.eig(x)
   local count = roots:size(1)
   local found = torch.zeros(count + 1, roots:size(2))
   found[1][1] = 1
   for j = 1, count do
      for part = 1, roots:size(2) do
         local column = found:select(2, part)
         local before = column:narrow(1, 1, j):clone()
         column:narrow(1, 2, j):add(-roots[j][part], before)
      end
   end
   if x:dim() == 1 then return found:select(2, 1) end
   local function imaginary(sign)
      local list = {}
      for j = 1, count do
         if roots[j][2] * sign >= 0 then table.insert(list, math.abs(roots[j][2])) end
      end
      table.sort(list)
      return table.concat(list, ' ')
   end
   return imaginary(1) == imaginary(-1) and found:select(2, 1) or found
end

return signal
