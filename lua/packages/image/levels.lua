-- Colormaps, and images that are coloured by them.

local arguments = require 'image.arguments'
local element = require 'torch.loops.element'
local errors, buffers, torch = require 'torch.base.errors', require 'torch.memory.buffers', require 'torch'
local raise, get = errors.raise, element.getter { name = 'Double' }

local function check_colours(name, n)
   local whole = arguments.integer(name, 'the number of colours', n)
   if whole < 1 then raise('%s: colours must be at least 1 (got %.0f)', name, whole) end
   return whole
end

-- One channel of the map 'jet': rises from `first` on, and falls to 0 again, along the positions from 0 to 4.
local function ramp(position, first) return math.max(0, math.min(position - first, first + 3 - position, 1)) end

-- The colours 1 to floor(n) of a map of n.
local function jet(n)
   local map = torch.Tensor(n, 3)
   for i = 1, math.floor(n) do
      local position = 4 * i / n
      map[i][1], map[i][2], map[i][3] = ramp(position, 1.5), ramp(position, 0.5), ramp(position, -0.5)
   end
   return map
end

return function(image)
   -- A map of n distinct colours: n x 3.
   function image.colormap(n)
      n = check_colours('colormap', n)
      local map, hues, saturations = torch.DoubleTensor(n, 3), 0, 0
      for i = 1, n do
         local hue, chroma = math.fmod(hues, 360) / 60, math.fmod(saturations, 0.7) + 0.3
         local second, minimum = chroma * (1 - math.abs(math.fmod(hue, 2) - 1)), 0.5 - chroma / 2
         -- The largest of red, green and blue, and the second.
         local first_at = math.floor((hue + 1) / 2) % 3 + 1
         local second_at = (4 - math.floor(hue)) % 3 + 1
         map[i]:fill(minimum)
         map[i][first_at], map[i][second_at] = chroma + minimum, second + minimum
         -- Sums, as in the original: which saturation comes next to 1 depends on how they are rounded.
         hues, saturations = hues + 39, saturations + 1 / 9
      end
      return torch.Tensor(n, 3):copy(map)
   end

   -- A map of n colours from blue through green to red: n x 3.
   function image.jetColormap(n)
      check_colours('jetColormap', n)
      return jet(tonumber(n))
   end

   -- y2jet([r,] x): the levels 1, 2, ... of x as colours of the map with as many colours as the highest level, which
   -- may have a fraction. Others are truncated.
   function image.y2jet(...)
      local r, x = arguments.split(1, ...)
      arguments.image('y2jet', x, 1, 3)
      x = arguments.matrix('y2jet', x)
      local highest = x:max()
      if not (highest >= 1 and highest <= 2 ^ 20) then
         raise('y2jet: levels must be 1 or more (got at most %s)', tostring(highest))
      end
      local height, width = x:dim() == 2 and x:size(1) or 1, x:size(x:dim())
      r = r and arguments.result('y2jet', r, x) or x.new()
      local source = x:double():contiguous()
      r:resize(3, height, width)
      local made = torch.DoubleTensor(3, height, width)
      local map = jet(highest):double()
      if x:type() == 'torch.ByteTensor' then map:mul(255):add(0.5):floor() end
      local from, colours, last = buffers.start(source), buffers.start(map), map:size(1) - 1
      local to, area = buffers.start(made), height * width
      for i = 0, area - 1 do
         local level = get(from, i) - 1
         -- Comparisons that are false for nan.
         level = level > 0 and math.floor(math.min(level, last)) or 0
         for k = 0, 2 do to[i + k * area] = colours[3 * level + k] end
      end
      buffers.keep_alive(source, made, map)
      return r:copy(made)
   end
end
