-- image.rotate and image.translate.

local arguments, resample = require 'image.arguments', require 'image.resample'

local modes = { 'simple', 'bilinear' }

return function(image)
   -- rotate([r,] x, theta [, mode]): rotates x counterclockwise by theta, in radians.
   function image.rotate(...)
      local r, x, theta, mode = arguments.split(1, ...)
      arguments.image('rotate', x)
      theta = arguments.number('rotate', 'the angle', theta)
      mode = arguments.one_of('rotate', 'mode', mode, 'simple', modes)
      r = arguments.result_of_size('rotate', r, x)
      local g = resample.job('rotate', r, x, mode)
      g.angle = theta
      return resample.run(g, r, x, 0)
   end

   -- translate([r,] x, right, down): shifts x and fills the uncovered part with zeros.
   function image.translate(...)
      local r, x, right, down = arguments.split(1, ...)
      arguments.image('translate', x)
      right, down = arguments.integer('translate', 'x', right), arguments.integer('translate', 'y', down)
      r = arguments.result_of_size('translate', r, x)
      local dim = x:dim()
      -- Along each dimension: where reading and writing begin, and for how many elements.
      local from, to, count = {}, {}, {}
      for d, by in pairs { [dim - 1] = down, [dim] = right } do
         from[d], to[d] = math.max(0, -by), math.max(0, by)
         count[d] = math.min(x:size(d) - from[d], r:size(d) - to[d])
      end
      local source = rawequal(r, x) and x:clone() or arguments.unaliased(x, r)
      r:zero()
      if count[dim - 1] > 0 and count[dim] > 0 then
         local function part(t, first)
            return t:narrow(dim - 1, first[dim - 1] + 1, count[dim - 1]):narrow(dim, first[dim] + 1, count[dim])
         end
         part(r, to):copy(part(source, from))
      end
      return r
   end
end
