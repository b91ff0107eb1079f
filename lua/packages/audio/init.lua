-- audio: sound files as tensors of samples x channels, with the scale of 32-bit integers, and their spectra.

local torch = require 'torch'
local check, exchange = require 'torch.base.check', require 'torch.utility.exchange'
local host = require('torch.native.host').of 'audio'

local audio = {}
rawset(_G, 'audio', audio)

-- Returns the samples, and the sampling rate in Hz.
function audio.load(path)
   check.kind('audio.load', 'path', path, 'string')
   local reader, why = host.load(path)
   if not reader then check.fail('audio.load', '%s: %s', path, why) end
   local found = exchange.from(reader)
   return found[1]:type(torch.getdefaulttensortype()), found[2]
end

-- Writes 16 bits of each sample; the extension determines the format.
function audio.save(path, x, rate)
   check.kind('audio.save', 'path', path, 'string')
   check.dimensions('audio.save', 'samples', x, 1, 2)
   local why = host.save(path, exchange.to(x:double(), 'audio.save'), check.size('audio.save', 'rate', rate))
   if why then check.fail('audio.save', '%s: %s', path, why) end
end

-- The bytes of a sound file, a CharTensor; the extension `ending` determines its format. decompress returns the samples
-- of such bytes, and the rate.
function audio.compress(x, rate, ending)
   local path = os.tmpname() .. '.' .. check.kind('audio.compress', 'ending', ending, 'string')
   local ok, why = pcall(audio.save, path, x, rate)
   local bytes = ok and io.open(path, 'rb'):read '*a'
   os.remove(path)
   if not ok then error(why, 0) end
   return torch.CharTensor(torch.CharStorage():string(bytes))
end

function audio.decompress(bytes, ending)
   check.tensor('audio.decompress', 'bytes', bytes)
   local path = os.tmpname() .. '.' .. check.kind('audio.decompress', 'ending', ending, 'string')
   local file = io.open(path, 'wb')
   file:write(bytes:contiguous():storage():string())
   file:close()
   local found = { pcall(audio.load, path) }
   os.remove(path)
   if not found[1] then error(found[2], 0) end
   return found[2], found[3]
end

-- One channel as a vector.
local function channel(name, x)
   check.real(name, 'samples', x)
   if x:dim() == 2 then x = x:select(2, 1) end
   return check.dimensions(name, 'samples', x, 1, 1):contiguous()
end

-- Spectra: windows x frequencies x 2, the highest frequency first. Windows are named as in the package signal.
function audio.stft(x, size, window, stride)
   local spectra = require('signal').rstft(channel('audio.stft', x), size, stride or size, window or 'rect')
   local count = spectra:size(2)
   return spectra:index(2, torch.range(count, 1, -1):long()):type(torch.getdefaulttensortype())
end

-- Ten times the logarithms of their squared magnitudes and 0.01: frequencies x windows.
function audio.spectrogram(x, size, window, stride)
   return audio.stft(x, size, window, stride):pow(2):sum(3):select(3, 1):add(0.01):log():mul(10):transpose(1, 2)
end

-- A transform whose windows have the same number of periods for each frequency: windows x frequencies x 2. Frequencies
-- are fmin times powers of 2 ^ (1 / bins), below fmax; a quarter of the shortest window is between two.
function audio.cqt(x, fmin, fmax, bins, rate)
   local name = 'audio.cqt'
   x = channel(name, x)
   for what, value in pairs { fmin = fmin, fmax = fmax, rate = rate } do
      if check.number(name, what, value) <= 0 then check.argument_error(name, what, 'above 0', value) end
   end
   check.size(name, 'bins', bins)
   local periods, count = 1 / (2 ^ (1 / bins) - 1), math.ceil(bins * math.log(fmax / fmin) / math.log(2))
   if count < 1 then check.argument_error(name, 'fmax', string.format('above %g', fmin), fmax) end
   local longest = math.ceil(periods * rate / fmin)
   local step = math.max(1, math.floor(periods * rate / fmin / 2 ^ ((count - 1) / bins) / 4))
   local longer = x.new(x:size(1) + longest):zero()
   longer:narrow(1, math.floor(longest / 2) + 1, x:size(1)):copy(x)
   local windows = math.floor((x:size(1) - 1) / step) + 1
   local found = torch.zeros(windows, count, 2):typeAs(x)
   for k = 1, count do
      local length = math.ceil(periods * rate / (fmin * 2 ^ ((k - 1) / bins)))
      local hann = torch.range(0, length - 1):mul(2 * math.pi / length):cos():mul(-0.5):add(0.5):div(length)
      local turns = torch.range(0, length - 1):mul(2 * math.pi * periods / length)
      local first = math.floor((longest - length) / 2)
      local parts = longer:narrow(1, first + 1, (windows - 1) * step + length):unfold(1, length, step)
      found:select(3, 1):select(2, k):mv(parts, torch.cmul(hann, torch.cos(turns)):typeAs(x))
      found:select(3, 2):select(2, k):mv(parts, torch.cmul(hann, torch.sin(turns)):mul(-1):typeAs(x))
   end
   return found
end

-- A sound like five vowels that are sung, computed: samples x 1, 16000 in a second, with the scale of audio.load.
local VOWELS = { { 730, 1090 }, { 530, 1840 }, { 270, 2290 }, { 570, 840 }, { 300, 870 } }

function audio.samplevoice()
   local rate, seconds = 16000, 0.4
   local count = rate * seconds
   local voice, time = torch.zeros(#VOWELS * count), torch.range(0, count - 1):div(rate)
   for i, formants in ipairs(VOWELS) do
      local part, pitch = voice:narrow(1, (i - 1) * count + 1, count), 110 * 2 ^ (i / 12)
      for harmonic = 1, 30 do
         local frequency, strength = harmonic * pitch, 0
         for _, formant in ipairs(formants) do
            strength = strength + math.exp(-((frequency - formant) / 120) ^ 2)
         end
         part:add((strength + 0.02) / harmonic ^ 0.5, torch.mul(time, 2 * math.pi * frequency):sin())
      end
      part:cmul(torch.mul(time, math.pi / seconds):sin())
   end
   voice:mul(2 ^ 30 / voice:clone():abs():max()):floor()
   return voice:view(-1, 1):type(torch.getdefaulttensortype())
end

return audio
