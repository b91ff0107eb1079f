-- Convolutions of single planes of the image with some kernels each: the kernels of a plane are gathered, and the dense
-- kernels process one plane. `lists` has the connections { kernel, plane of the map } of each plane of the image.

local ffi = require 'ffi'
local copy, fill = ffi.copy, ffi.fill

return function(engine, functions, scratch_for)

   local gathered_of = {}

   -- Prepares a shape for single planes; returns memory for the kernels and maps of the longest list, and
   -- the elements of a kernel, of a plane of the image and of one of the map.
   local function begin(k, shape, lists)
      local max_inputs = 1
      for i = 1, #lists do max_inputs = #lists[i] > max_inputs and #lists[i] or max_inputs end
      local taps, area, out = 1, 1, 1
      for d = 0, 2 do taps, area, out = taps * shape.kernel[d], area * shape.image[d], out * shape.map[d] end
      shape.images, shape.groups, shape.planes, shape.outputs = 1, 1, 1, max_inputs
      local gathered = k.resized(gathered_of[k], max_inputs * (taps + out) + area)
      gathered_of[k] = gathered
      local weights = k.ptr(gathered)
      return gathered, scratch_for(k, shape), weights, weights + max_inputs * taps, taps, area, out
   end

   -- Copies rows between a tensor and a contiguous list of them.
   local function gather(list, field, from, to, n, SIZE)
      for j = 1, #list do copy(to + (j - 1) * n, from + list[j][field] * n, n * SIZE) end
   end

   local function add_back(k, list, field, from, to, n)
      for j = 1, #list do k.axpy(n, 1, from + (j - 1) * n, to + list[j][field] * n) end
   end

   -- map += kernels * image.
   function engine.correlate_each(k, shape, lists, images, image, weight, map)
      local gathered, scratch, weights, maps, taps, area, out = begin(k, shape, lists)
      local x, y, w, SIZE, forward = k.ptr(image), k.ptr(map), k.ptr(weight), k.SIZE, functions.conv_forward[k]
      local planes = k.numel(map) / (images * out)
      for i = 1, #lists do
         local list = lists[i]
         shape.outputs = #list
         gather(list, 'kernel', w, weights, taps, SIZE)
         for s = 0, #list > 0 and images - 1 or -1 do
            forward(shape, x + (s * #lists + i - 1) * area, weights, nil, maps, k.ptr(scratch))
            add_back(k, list, 'plane', maps, y + s * planes * out, out)
         end
      end
      k.keep_alive(gathered, scratch, image, weight, map)
   end

   -- image += the transposed convolution of the map with the kernels.
   function engine.correlate_transposed_each(k, shape, lists, images, map, weight, image)
      local gathered, scratch, weights, maps, taps, area, out = begin(k, shape, lists)
      local x, y, w, SIZE, back = k.ptr(image), k.ptr(map), k.ptr(weight), k.SIZE, functions.conv_back[k]
      local planes = k.numel(map) / (images * out)
      local made = k.new(area)
      for i = 1, #lists do
         local list = lists[i]
         shape.outputs = #list
         gather(list, 'kernel', w, weights, taps, SIZE)
         for s = 0, #list > 0 and images - 1 or -1 do
            gather(list, 'plane', y + s * planes * out, maps, out, SIZE)
            back(shape, maps, weights, nil, k.ptr(made), k.ptr(scratch))
            k.axpy(area, 1, k.ptr(made), x + (s * #lists + i - 1) * area)
         end
      end
      k.keep_alive(gathered, scratch, image, weight, map, made)
   end

   -- kernels += scale * map image'.
   function engine.add_weight_gradient_each(k, shape, lists, images, image, map, weight, scale)
      local gathered, scratch, weights, maps, taps, area, out = begin(k, shape, lists)
      local x, y, w, SIZE, weight_gradient = k.ptr(image), k.ptr(map), k.ptr(weight), k.SIZE, functions.conv_weights[k]
      local planes = k.numel(map) / (images * out)
      for i = 1, #lists do
         local list = lists[i]
         shape.outputs = #list
         fill(weights, #list * taps * SIZE)
         for s = 0, #list > 0 and images - 1 or -1 do
            gather(list, 'plane', y + s * planes * out, maps, out, SIZE)
            weight_gradient(shape, x + (s * #lists + i - 1) * area, maps, scale, weights, k.ptr(scratch))
         end
         add_back(k, list, 'kernel', weights, w, taps)
      end
      k.keep_alive(gathered, scratch, image, weight, map)
   end

end
