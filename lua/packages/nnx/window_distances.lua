-- Squared distances of the features of pixels in two images, features x height x width, one step of a window at a time.

local check = require 'torch.base.check'
local shifted_maps = require 'nnx.shifted_maps'

local window_distances = {}

-- The distance to a pixel outside of the image.
window_distances.NONE = 1e30

-- Checks that a table has two images: maps of the same type, with the same number of features.
function window_distances.images(module, input)
   check.kind(module, 'input', input, 'table')
   local first, second = input[1], input[2]
   check.real(module, 'input[1]', first)
   check.dimensions(module, 'input[1]', first, 3, 3)
   check.same_type(module, 'input[2]', second, first)
   check.dimensions(module, 'input[2]', second, 3, 3)
   if second:size(1) ~= first:size(1) then
      check.argument_error(module, 'input[2]', string.format('%d maps', first:size(1)), second)
   end
   return first, second
end

-- Writes the distances of pixels of `first` to those `down` and `right` of them into the matrix `to`.
function window_distances.forward(first, second, down, right, to)
   local a, b, part = shifted_maps(first, second, down, right)
   if a then part(to):copy((a - b):pow(2):sum(1):select(1, 1)) end
end

-- Adds the gradients of the distances of such a step.
function window_distances.backward(first, second, down, right, gradient, to_first, to_second)
   local a, b, part = shifted_maps(first, second, down, right)
   if not a then return end
   local g = part(gradient):contiguous()
   local d = (a - b):mul(2):cmul(g:view(1, g:size(1), g:size(2)):expandAs(a))
   local to_a, to_b = shifted_maps(to_first, to_second, down, right)
   to_a:add(d)
   to_b:add(-1, d)
end

return window_distances
