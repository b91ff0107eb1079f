-- nn.SpatialGraph: distances of neighbors, the weights of the edges of a graph of pixels: of maps, features x height x
-- width, a map of the same size for each direction. Pixels without a neighbor there have 0.

local torch = require 'torch'
local check = require 'torch.base.check'
local shifted_maps = require 'nnx.shifted_maps'

-- The steps down and to the right of the maps of edges; those of four neighbors are the first two.
local STEPS = { { 0, 1 }, { 1, 0 }, { 1, 1 }, { 1, -1 } }

return function(Graph, parent)

   -- The number of maps of edges.
   local function maps(self)
      local connex = self.connex or 4
      if connex ~= 4 and connex ~= 8 then check.refuse('SpatialGraph', 'connex', '4 or 8', connex) end
      return connex / 2
   end

   function Graph:__init(dist, normalize, connex)
      parent.__init(self)
      if type(dist) == 'table' then dist, normalize, connex = dist.dist, dist.normalize, dist.connex end
      self.dist = check.one_of('SpatialGraph', 'dist', dist or 'euclid', { 'euclid', 'cosine' })
      self.normalize, self.connex = normalize or false, connex or 4
      maps(self)
   end

   local function check_maps(self, input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 3, 3)
   end

   -- f(map, pixels, neighbors, part) for each map of edges, restricted to edges with both ends.
   local function each_direction(self, x, f)
      for map = 1, maps(self) do
         local a, b, part = shifted_maps(x, x, STEPS[map][1], STEPS[map][2])
         if a then f(map, a, b, part) end
      end
   end

   local function dot(a, b) return (a:clone():cmul(b):sum(1):select(1, 1)) end

   -- |a| |b|, 1 where it is 0: there the cosine is 0.
   local function norms(a, b)
      local n = dot(a, a):cmul(dot(b, b)):sqrt()
      return n:add(n:eq(0):typeAs(n))
   end

   -- The mean and the deviation of the distances of all edges, and their number.
   local function moments(self, input, distances)
      local edges, sum, squares = 0, 0, 0
      each_direction(self, input, function(map, _, _, part)
         local d = part(distances[map])
         edges, sum = edges + d:nElement(), sum + d:sum()
      end)
      each_direction(self, input, function(map, _, _, part)
         squares = squares + (part(distances[map]) - sum / edges):pow(2):sum()
      end)
      local deviation = edges > 1 and math.sqrt(squares / (edges - 1)) or 0
      return edges > 0 and sum / edges or 0, deviation, edges
   end

   function Graph:updateOutput(input)
      check_maps(self, input)
      self.output:resize(maps(self), input:size(2), input:size(3)):zero()
      each_direction(self, input, function(map, a, b, part)
         local edges = part(self.output[map])
         if self.dist == 'euclid' then
            edges:copy((a - b):pow(2):sum(1):select(1, 1):sqrt())
         else
            edges:copy(dot(a, b):cdiv(norms(a, b)):mul(-1):add(1))
         end
      end)
      if self.normalize and self.dist == 'euclid' then
         local _, deviation = moments(self, input, self.output)
         self._deviation = deviation > 0 and deviation or nil
         self.output:div(self._deviation or 1)
      end
      return self.output
   end

   -- The gradient at the distances, from that at their quotients by the deviation s of n of them with the mean m:
   -- ds / dd = (d - m) / ((n - 1) s). In quotients, the deviation is 1.
   local function before_quotient(self, input, gradOutput)
      local mean, _, edges = moments(self, input, self.output)
      local along, gradient = 0, torch.div(gradOutput, self._deviation)
      each_direction(self, input, function(map, _, _, part)
         along = along + part(gradOutput[map]):clone():cmul(part(self.output[map])):sum()
      end)
      return gradient:add(-along / (edges - 1) / self._deviation, self.output - mean)
   end

   -- Equal pixels, and pixels of zeros, have no gradient.
   function Graph:updateGradInput(input, gradOutput)
      check_maps(self, input)
      check.dimensions(self, 'output', self.output, 3, 3)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      self.gradInput:resizeAs(input):zero()
      if self.normalize and self._deviation then gradOutput = before_quotient(self, input, gradOutput) end
      each_direction(self, input, function(map, a, b, part)
         local g = part(gradOutput[map])
         local to_a, to_b = shifted_maps(self.gradInput, self.gradInput, STEPS[map][1], STEPS[map][2])
         local function spread(t) return t:view(1, t:size(1), t:size(2)):expandAs(a) end
         if self.dist == 'euclid' then
            local d = a - b
            local length = dot(d, d):sqrt()
            d:cmul(spread(g:clone():cdiv(length:add(length:eq(0):typeAs(length)))))
            to_a:add(d)
            to_b:add(-1, d)
         else
            -- d cos / da = b / (|a| |b|) - cos a / |a|^2
            local n = norms(a, b)
            local cosine, scaled = dot(a, b):cdiv(n), g:clone():cdiv(n)
            local along_a = norms(a, a):pow(-1):cmul(cosine):cmul(g)
            local along_b = norms(b, b):pow(-1):cmul(cosine):cmul(g)
            to_a:add(-1, spread(scaled):clone():cmul(b)):add(spread(along_a):clone():cmul(a))
            to_b:add(-1, spread(scaled):clone():cmul(a)):add(spread(along_b):clone():cmul(b))
         end
      end)
      return self.gradInput
   end
end
