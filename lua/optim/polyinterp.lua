-- The minimum of the polynomial through points with values and slopes.

local torch = require 'torch'
local check, errors = require 'torch.base.check', require 'torch.base.errors'

-- The cubic through two points.
local function cubic(points, low, high)
   local a, b = points[1], points[2]
   if a[1] > b[1] then a, b = b, a end
   local x1, f1, g1, x2, f2, g2 = a[1], a[2], a[3], b[1], b[2], b[3]
   local d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
   local square = d1 * d1 - g1 * g2
   if square < 0 then return (low + high) / 2 end
   local d2 = math.sqrt(square)
   local at = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
   return math.min(math.max(at, low), high)
end

-- `points` has rows {x, value, slope}; nan where a value or slope is not known. Returns the index of the
-- minimum between the bounds, which are the outermost points by default, and the value there.
return function(points, xminBound, xmaxBound)
   if not torch.isTensor(points) or points:dim() ~= 2 or points:size(2) < 3 then
      errors.raise('polyinterp: points must be of size n x 3 (got %s)', errors.describe(points))
   end
   if xminBound then check.number('polyinterp', 'xminBound', xminBound) end
   if xmaxBound then check.number('polyinterp', 'xmaxBound', xmaxBound) end
   points = points:double()
   local count = points:size(1)
   local known = 0
   for i = 1, count do
      for j = 2, 3 do
         if points[i][j] == points[i][j] then known = known + 1 end
      end
   end
   if known == 0 then errors.raise('polyinterp: points must have a value or a slope (got nan only)') end
   local low, high = points:select(2, 1):min(), points:select(2, 1):max()
   local from, to = xminBound or low, xmaxBound or high
   if count == 2 and known == 4 then return cubic(points, from, to) end

   -- The coefficients, highest power first.
   local order = known - 1
   local a, b, row = torch.zeros(known, known), torch.zeros(known, 1), 0
   for i = 1, count do
      local x = points[i][1]
      if points[i][2] == points[i][2] then
         row = row + 1
         for j = 0, order do a[row][j + 1] = x ^ (order - j) end
         b[row][1] = points[i][2]
      end
   end
   for i = 1, count do
      local x = points[i][1]
      if points[i][3] == points[i][3] then
         row = row + 1
         for j = 0, order - 1 do a[row][j + 1] = (order - j) * x ^ (order - j - 1) end
         b[row][1] = points[i][3]
      end
   end
   local c = torch.gesv(b, a):view(-1)

   local function value(x)
      local sum = 0
      for j = 1, order + 1 do sum = sum * x + c[j] end
      return sum
   end

   local candidates = { from, to }
   for i = 1, count do candidates[#candidates + 1] = points[i][1] end
   -- Roots of the derivative, as eigenvalues of its companion matrix.
   local slope = {}
   for j = 1, order do slope[j] = (order - j + 1) * c[j] end
   while #slope > 1 and slope[1] == 0 do table.remove(slope, 1) end
   local degree = #slope - 1
   if degree >= 1 then
      local companion = torch.zeros(degree, degree)
      for j = 1, degree do companion[1][j] = -slope[j + 1] / slope[1] end
      for j = 2, degree do companion[j][j - 1] = 1 end
      local roots = torch.eig(companion, 'N')
      for i = 1, degree do
         if math.abs(roots[i][2]) < 1e-12 then candidates[#candidates + 1] = roots[i][1] end
      end
   end
   local best, at = math.huge, (from + to) / 2
   for _, x in ipairs(candidates) do
      if x >= from and x <= to and value(x) < best then best, at = value(x), x end
   end
   return at, best
end
