-- audio: files of sound as tensors of samples x channels, with the scale of 32-bit integers, and their spectra.

local torch = require 'torch'
local check, exchange = require 'torch.base.check', require 'torch.utility.exchange'
local host = require('torch.native.host').of 'audio'

local audio = {}
rawset(_G, 'audio', audio)

-- Returns the samples, and how many there are in a second.
function audio.load(path)
   check.kind('audio.load', 'path', path, 'string')
   local reader, why = host.load(path)
   if not reader then check.fail('audio.load', '%s: %s', path, why) end
   local found = exchange.from(reader)
   return found[1]:type(torch.getdefaulttensortype()), found[2]
end

-- Writes 16 bits of each sample; the ending says the format.
function audio.save(path, x, rate)
   check.kind('audio.save', 'path', path, 'string')
   check.dimensions('audio.save', 'samples', x, 1, 2)
   local why = host.save(path, exchange.to(x:double(), 'audio.save'), check.size('audio.save', 'rate', rate))
   if why then check.fail('audio.save', '%s: %s', path, why) end
end

-- One channel as a vector.
local function channel(name, x)
   check.real(name, 'samples', x)
   if x:dim() == 2 then x = x:select(2, 1) end
   return check.dimensions(name, 'samples', x, 1, 1):contiguous()
end

-- Spectra: windows x frequencies x 2. Windows are named as in the package signal.
function audio.stft(x, size, window, stride)
   return require('signal').stft(channel('audio.stft', x), size, stride or size, window or 'rect')
end

-- Magnitudes in decibels: frequencies x windows.
function audio.spectrogram(x, size, window, stride)
   local power = require('signal').spectrogram(channel('audio.spectrogram', x), size, stride or size, window or 'rect')
   return power:add(1e-300):log():mul(10 / math.log(10))
end

return audio
