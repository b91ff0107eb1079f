-- nn.SpatialGraph: distances of neighbors, the weights of the edges of a graph of pixels: of maps, features x height x
-- width, two maps of the same size. The first has each pixel's distance to the next one in its row, the second that to
-- the next one in its column; where there is none, 0.

local check = require 'torch.base.check'

return function(Graph, parent)

   function Graph:__init(dist)
      parent.__init(self)
      if type(dist) == 'table' then
         local options = dist
         dist = options.dist
         if options.connex ~= nil and options.connex ~= 4 then
            check.refuse('SpatialGraph', 'connex', '4, for the neighbors in rows and columns', options.connex)
         end
         if options.normalize then check.refuse('SpatialGraph', 'normalize', 'false', options.normalize) end
      end
      self.dist = check.one_of('SpatialGraph', 'dist', dist or 'euclid', { 'euclid', 'cosine' })
   end

   -- Of the axis of an edge: features of the pixels and of those next to them, and a map's part with an edge.
   local function ends(input, axis, map)
      local count = input:size(axis) - 1
      if count < 1 then return nil end
      return input:narrow(axis, 1, count), input:narrow(axis, 2, count), map:narrow(axis - 1, 1, count)
   end

   local function dot(a, b) return (a:clone():cmul(b):sum(1):select(1, 1)) end

   -- |a| |b|, 1 where it is 0: there the cosine is 0.
   local function norms(a, b)
      local n = dot(a, a):cmul(dot(b, b)):sqrt()
      return n:add(n:eq(0):typeAs(n))
   end

   function Graph:updateOutput(input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 3, 3)
      self.output:resize(2, input:size(2), input:size(3)):zero()
      for i = 1, 2 do
         local a, b, edges = ends(input, 4 - i, self.output[i])
         if a and self.dist == 'euclid' then
            local d = a - b
            edges:copy(dot(d, d):sqrt())
         elseif a then
            edges:copy(dot(a, b):cdiv(norms(a, b)):mul(-1):add(1))
         end
      end
      return self.output
   end

   -- Equal pixels, and pixels of zeros, have no gradient.
   function Graph:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      self.gradInput:resizeAs(input):zero()
      for i = 1, 2 do
         local a, b, g = ends(input, 4 - i, gradOutput[i])
         if a then
            local to_a, to_b = ends(self.gradInput, 4 - i, gradOutput[i])
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
         end
      end
      return self.gradInput
   end
end
