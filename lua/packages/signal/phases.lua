-- Phases without leaps, and cepstra.

local check = require 'torch.base.check'

return function(signal)

   local function vector(name, x)
      check.real(name, 'argument 1', x)
      check.dimensions(name, 'argument 1', x, 1, 1)
      return x
   end

   -- Phases whose leaps of more than `tolerance` lose whole turns.
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

   -- Adds a line that has `turns` half turns in the middle.
   local function add_line(phases, turns)
      local count, i = middle(phases:size(1)), -1
      return phases:apply(function(phase)
         i = i + 1
         return phase + math.pi * turns * i / count
      end)
   end

   -- Phases without leaps and without the line of a delay, and the half turns of that line.
   function signal.rcunwrap(phases)
      local found = signal.unwrap(phases)
      local turns = found[middle(found:size(1)) + 1] / math.pi
      turns = turns >= 0 and math.floor(turns + 0.5) or math.ceil(turns - 0.5)
      if turns ~= 0 then add_line(found, -turns) end
      return found, turns
   end

   -- Phases with such a line.
   function signal.rcwrap(phases, turns)
      local found = vector('signal.rcwrap', phases):clone()
      if turns and turns ~= 0 then add_line(found, turns) end
      return found
   end

   -- The complex cepstrum, and the half turns that icceps needs for the signal again.
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
end
