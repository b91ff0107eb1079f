-- The minimum of the polynomial through points with values and slopes.

local torch = require 'torch'
local check, errors = require 'torch.base.check', require 'torch.base.errors'
local of_tensor = require('torch.base.types').of_tensor

-- The cubic through two points.
local function cubic(points)
   local a, b = points[1], points[2]
   if a[1] > b[1] then a, b = b, a end
   local x1, f1, g1, x2, f2, g2 = a[1], a[2], a[3], b[1], b[2], b[3]
   local d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
   local square = d1 * d1 - g1 * g2
   -- The middle if there is no minimum, or if a value or a slope is nan.
   if not (square >= 0) then return (x1 + x2) / 2 end
   local d2 = math.sqrt(square)
   local at = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
   return math.min(math.max(at, x1), x2)
end

local TINY = 1e-12      -- coefficients below are 0

-- The real roots of the polynomial with coefficients c, highest power first, as eigenvalues of its companion matrix.
local function real_roots(c)
   local first, last = 1, c:size(1)
   for i = first, last do
      if math.abs(c[i]) < TINY then c[i] = 0 end
   end
   while first <= last and c[first] == 0 do first = first + 1 end
   local found = {}
   while last >= first and c[last] == 0 do
      last = last - 1
      found[#found + 1] = 0
   end
   local degree = last - first
   if degree == 1 then
      table.insert(found, 1, -c[last] / c[first])
   elseif degree > 1 then
      local companion = torch.diag(c.new(degree - 1):fill(1), -1)
      for j = 1, degree do companion[1][j] = -c[first + j] / c[first] end
      local roots, zeros = torch.eig(companion, 'N'), found
      found = {}
      for i = 1, degree do
         if roots[i][2] == 0 then found[#found + 1] = roots[i][1] end
      end
      for _, root in ipairs(zeros) do found[#found + 1] = root end
   end
   return found
end

-- `points` has rows {x, value, slope}; nan where a value or slope is not known. Returns the index of the
-- minimum between the bounds, which are the outermost points by default, and, except for two points without bounds,
-- the value there.
return function(points, xminBound, xmaxBound)
   if not torch.isTensor(points) or points:dim() ~= 2 or points:size(2) < 3 then
      errors.raise('polyinterp: points must be of size n x 3 (got %s)', errors.describe(points))
   end
   if xminBound then check.number('polyinterp', 'xminBound', xminBound) end
   if xmaxBound then check.number('polyinterp', 'xmaxBound', xmaxBound) end
   if of_tensor(points).integer then points = points:double() end
   local count = points:size(1)
   if count == 2 and not xminBound and not xmaxBound then return cubic(points) end
   local known = 0
   for i = 1, count do
      for j = 2, 3 do
         if points[i][j] == points[i][j] then known = known + 1 end
      end
   end
   if known == 0 then errors.raise('polyinterp: points must have a value or a slope (got nan only)') end
   local low, high = points:select(2, 1):min(), points:select(2, 1):max()
   local from, to = xminBound or low, xmaxBound or high

   -- The coefficients, highest power first, by least squares.
   local order = known - 1
   local a, b, row = points.new(known, known):zero(), points.new(known, 1), 0
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
   local c = torch.gels(b, a):narrow(1, 1, known):clone():view(-1)
   local slope, finite = points.new(math.max(order, 1)):zero(), true
   for j = 1, order + 1 do
      if math.abs(c[j]) <= TINY then c[j] = 0 end
      if j <= order then slope[j] = c[j] * (order - j + 1) end
      finite = finite and c[j] == c[j] and c[j] < math.huge
   end

   local function value(x)
      local sum = 0
      for j = 1, order + 1 do sum = sum + c[j] * x ^ (order + 1 - j) end
      return sum
   end

   -- The bounds as elements of the type of the points, which may lie outside.
   local candidates = points.new({ from, to }):totable()
   for i = 1, count do candidates[#candidates + 1] = points[i][1] end
   for _, root in ipairs(finite and real_roots(slope) or {}) do candidates[#candidates + 1] = root end
   local best, at = math.huge, (from + to) / 2
   for _, x in ipairs(candidates) do
      if x >= from and x <= to and value(x) < best then best, at = value(x), x end
   end
   return at, best
end
