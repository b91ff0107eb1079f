-- nn.SpatialGraph: distances of neighbors, the weights of the edges of a graph of pixels: of maps, features x height x
-- width, a map to the right and one below. Pixels without a neighbor there have 0.

local torch = require 'torch'
local check, xlua = require 'torch.base.check', require 'xlua'
local shifted_maps = require 'nnx.shifted_maps'

local STEPS = { { 0, 1 }, { 1, 0 } }                    -- down and to the right
local SMALL = 1e-12

return function(Graph, parent)

   -- The field `dist` is 0 for euclidean distances, 1 for those of angles; `normalize` is 0 or 1.
   function Graph:__init(...)
      parent.__init(self)
      xlua.unpack_class(self, { ... }, 'nn.SpatialGraph', 'distances of the features of neighboring pixels',
         { arg = 'dist', type = 'string', help = "'euclid' or 'cosine'", default = 'euclid' },
         { arg = 'normalize', type = 'boolean', help = 'whether distances are between 0 and 1', default = true },
         { arg = 'connex', type = 'number', help = 'number of neighbors', default = 4 })
      if self.connex ~= 4 then check.argument_error('SpatialGraph', 'connex', '4', self.connex) end
      check.one_of('SpatialGraph', 'dist', self.dist, { 'euclid', 'cosine' })
      self.dist, self.normalize = self.dist == 'cosine' and 1 or 0, self.normalize and 1 or 0
   end

   local function check_maps(self, input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 3, 3)
   end

   -- f(map, pixels, neighbors, part) for each map of edges, restricted to edges with both ends.
   local function each_direction(x, f)
      for map, step in ipairs(STEPS) do
         local a, b, part = shifted_maps(x, x, step[1], step[2])
         if a then f(map, a, b, part) end
      end
   end

   local function dot(a, b) return (torch.cmul(a, b):sum(1):select(1, 1)) end

   function Graph:updateOutput(input)
      check_maps(self, input)
      local features = input:size(1)
      self.output:resize(2, input:size(2), input:size(3)):zero()
      each_direction(self.dist == 0 and input or input + SMALL, function(map, a, b, part)
         local edges
         if self.dist == 0 then
            edges = (a - b):pow(2):sum(1):select(1, 1):sqrt()
            if self.normalize == 1 then edges:div(math.sqrt(features)) end
         elseif self.normalize == 1 then
            edges = dot(a, b):cdiv(dot(a, a):sqrt():cmul(dot(b, b):sqrt())):mul(-1):add(1)
         else
            edges = dot(a, b):mul(-1):add(features)
         end
         part(self.output[map]):copy(edges)
      end)
      return self.output
   end

   local function broadcast(t, like) return t:contiguous():view(1, t:size(1), t:size(2)):expandAs(like) end

   -- The gradients at both ends of euclidean distances; equal pixels have none.
   local function euclidean(self, a, b, edges, g)
      local d = a - b
      local factor = torch.cdiv(g, edges + edges:eq(0):typeAs(edges))
      if self.normalize == 1 then factor:div(a:size(1)) end
      d:cmul(broadcast(factor, d))
      return d, -d
   end

   -- Those of angles. As in the original, they are divided by the squared norms: this is exact only for vectors of norm
   -- 1.
   local function angular(self, a, b, g)
      if self.normalize ~= 1 then
         return torch.cmul(b, broadcast(g, b)):mul(-1), torch.cmul(a, broadcast(g, a)):mul(-1)
      end
      local along = dot(a, b)
      local function gradient(to, other)
         local own = torch.cdiv(along, dot(to, to):add(SMALL))
         return torch.cmul(to, broadcast(own, to)):add(-1 / (1 + SMALL), other):cmul(broadcast(g, to))
      end
      return gradient(a, b), gradient(b, a)
   end

   function Graph:updateGradInput(input, gradOutput)
      check_maps(self, input)
      check.dimensions(self, 'output', self.output, 3, 3)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      self.gradInput:resizeAs(input):zero()
      each_direction(input, function(map, a, b, part)
         local g = part(gradOutput[map])
         local to_a, to_b = shifted_maps(self.gradInput, self.gradInput, STEPS[map][1], STEPS[map][2])
         local first, second
         if self.dist == 0 then
            first, second = euclidean(self, a, b, part(self.output[map]), g)
         else
            first, second = angular(self, a, b, g)
         end
         to_a:add(first)
         to_b:add(second)
      end)
      return self.gradInput
   end
end
