-- Sounds as numbers: tones with noise are written to a file, read again, and told apart by their spectra.

local audio, signal = require 'audio', require 'signal'
local randomkit, cephes = require 'randomkit', require 'cephes'

local cmd = torch.CmdLine()
cmd:option('-seed', 1, 'initial random seed')
cmd:option('-rate', 8000, 'samples in a second')
local opt = cmd:parse(arg or {})

torch.manualSeed(opt.seed)

-- Half a second of each tone of a chord, with noise of the normal distribution.
local tones = { 440, 550, 660 }
local length = opt.rate / 2
local sound = torch.Tensor(#tones * length)
for i, hertz in ipairs(tones) do
   local time = torch.range(0, length - 1):div(opt.rate)
   local noise = randomkit.normal(torch.Tensor(length), 0, 0.5)
   sound:narrow(1, (i - 1) * length + 1, length):copy(torch.sin(time * 2 * math.pi * hertz) + noise)
end
audio.save('chord.wav', sound * 2 ^ 29, opt.rate)

local read, rate = audio.load('chord.wav')
print(('%d samples, %d in a second'):format(read:size(1), rate))

-- The loudest frequency of each half second.
local size = 800
local loudness = signal.spectrogram(read:view(-1):div(2 ^ 29), size, length)
local _, loudest = loudness:max(1)
for i = 1, loudness:size(2) do print(('%g Hz'):format((loudest[1][i] - 1) * rate / size)) end

-- How likely such a peak is by chance: powers of noise are exponentially distributed. The loudness is ten times the
-- logarithm of the power and 0.01.
local spectrum = torch.exp(loudness:select(2, 1) / 10) - 0.01
local peaks = spectrum:max() / spectrum:median(1)[1] * math.log(2)
print('by chance: ' .. (cephes.chdtrc(2, 2 * peaks) < 1e-6 and 'less than one in a million' or 'possible'))

-- The cosine transform keeps a smooth sound in few numbers.
local smooth = torch.range(1, 64):div(20):sin()
local transformed = signal.dct(smooth)
local kept = transformed:clone()
kept:narrow(1, 17, 48):zero()
print('a quarter of the numbers is enough: ' .. tostring((signal.idct(kept) - smooth):abs():max() < 0.05))
