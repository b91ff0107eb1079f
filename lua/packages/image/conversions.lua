-- Conversions between colour spaces: the loops of colour.lua. A row is a name and the code that computes the values x,
-- y, z of one pixel a, b, c; white is 1.

local concat, gsub, math = table.concat, string.gsub, math
local float, taps = require 'image.float', require 'image.taps'
local template = require 'torch.jit.template'

local conversions = {}

-- F(v) is v in the precision of the original's computation: double for doubles, else float.

-- Hue, from the largest channel and the difference to the smallest.
local hue = [=[
local high, low = max(a, b, c), min(a, b, c)
local range = F(high - low)
local hue = 0
if range ~= 0 then
   if a == high then
      hue = F(F(b - c) / range)
      if hue < 0 then hue = F(hue + 6) end
   elseif b == high then
      hue = F(F(F(c - a) / range) + 2)
   else
      hue = F(F(F(a - b) / range) + 4)
   end
end
x = F(hue / 6)
]=]

conversions.rows = {
   { 'rgb2hsl', hue .. [=[
      z = F(F(high + low) / 2)
      if range == 0 then
         y = 0
      elseif z > 0.5 then
         y = F(range / F(F(2 - high) - low))
      else
         y = F(range / F(high + low))
      end]=] },
   { 'rgb2hsv', hue .. 'z = high; y = range == 0 and 0 or F(range / high)' },
   { 'hsl2rgb', [=[
      if b == 0 then
         x, y, z = c, c, c
      else
         local q = c < 0.5 and F(c * F(1 + b)) or F(F(c + b) - F(c * b))
         local p = F(F(2 * c) - q)
         x, y, z = F(channel(p, q, F(a + 1 / 3))), F(channel(p, q, a)), F(channel(p, q, F(a - 1 / 3)))
      end]=] },
   { 'hsv2rgb', [=[
      local sector = floor(a * 6)
      local part = F(F(a * 6) - sector)
      local p, q, t = F(c * F(1 - b)), F(c * F(1 - F(part * b))), F(c * F(1 - F(F(1 - part) * b)))
      sector = sector % 6
      if sector == 0 then x, y, z = c, t, p
      elseif sector == 1 then x, y, z = q, c, p
      elseif sector == 2 then x, y, z = p, c, t
      elseif sector == 3 then x, y, z = p, q, c
      elseif sector == 4 then x, y, z = t, p, c
      else x, y, z = c, p, q end]=] },
   -- The white of daylight, D65.
   { 'rgb2lab', [=[
      a, b, c = F(linear(a)), F(linear(b)), F(linear(c))
      local X = root((0.412453 * a + 0.357580 * b + 0.180423 * c) / 0.950456)
      local Y = root(0.212671 * a + 0.715160 * b + 0.072169 * c)
      local Z = root((0.019334 * a + 0.119193 * b + 0.950227 * c) / 1.088754)
      x, y, z = 116 * Y - 16, 500 * (X - Y), 200 * (Y - Z)]=], real = true },
   { 'lab2rgb', [=[
      local height = F(F(a + 16) / 116)
      local X = 0.950456 * cube(F(b / 500) + height)
      local Z = 1.088754 * cube(height - F(c / 200))
      local Y = a > SLOPE * LEAST and height ^ 3 or a / SLOPE
      x = display(F(3.2404542 * X - 1.5371385 * Y - 0.4985314 * Z))
      y = display(F(-0.9692660 * X + 1.8760108 * Y + 0.0415560 * Z))
      z = display(F(0.0556434 * X - 0.2040259 * Y + 1.0572252 * Z))]=], real = true },
   -- A black pixel stays black.
   { 'rgb2nrgb', 'local sum = F(F(F(a + b) + c) + F(1e-6 / scale)); x, y, z = a / sum, b / sum, c / sum' },
}

local helpers = [=[
local floor, max, min = math.floor, math.max, math.min
local function channel(p, q, t)
   if t < 0 then t = F(t + 1) elseif t > 1 then t = F(t - 1) end
   if t < 1 / 6 then return p + F(q - p) * 6 * t end
   if t < 1 / 2 then return q end
   if t < 2 / 3 then return p + F(q - p) * (2 / 3 - t) * 6 end
   return p
end
local LEAST, SLOPE = 216 / 24389, 24389 / 27
local function linear(v) return v > 0.04045 and ((v + 0.055) / 1.055) ^ 2.4 or v / 12.92 end
local function display(v) return v > 0.0031308 and 1.055 * v ^ (1 / 2.4) - 0.055 or 12.92 * v end
local function root(t) return t > LEAST and t ^ (1 / 3) or (SLOPE * t + 16) / 116 end
local function cube(t)
   local power = t ^ 3
   return power > LEAST and power or (116 * t - 16) / SLOPE
end
]=]

local loop = [=[
$helpers
return function(to, from, n, scale, first, last)
   for i = first, last - 1 do
      local a, b, c = $a, $b, $c
      local x, y, z
      $code
      to[i], to[i + n], to[i + 2 * n] = $store
   end
end]=]

-- Bytes are fractions of 255, and stay within their range.
local function store(v) return ('max(0, min(255, F(F(%s * 255) + 0.5)))'):format(v) end
local byte_store = concat({ store 'x', store 'y', store 'z' }, ', ')
local byte_load, real_load = 'F(from[%s] / 255)', 'get(from, %s) * scale'

-- The loop of a row for a kind of element: f(to, from, n, scale, first, last) converts pixels `first` to `last - 1` of
-- n. Input values are multiplied by `scale`.
function conversions.loop(row, kind)
   local name, code = row[1], row[2]
   row.loops = row.loops or {}
   if not row.loops[kind] then
      local is_byte = kind == 'byte'
      local load = is_byte and byte_load or real_load
      local values = { helpers = helpers, code = code, store = is_byte and byte_store or 'x, y, z',
         a = load:format 'i', b = load:format 'i + n', c = load:format 'i + 2 * n' }
      if kind == 'double' then
         values.code, values.helpers = gsub(code, '%f[%w]F%(', '('), gsub(helpers, '%f[%w]F%(', '(')
      end
      row.loops[kind] = template.compile('image ' .. name, loop, values,
         { math = math, F = float, get = taps.getter(kind) })
   end
   return row.loops[kind]
end

return conversions
