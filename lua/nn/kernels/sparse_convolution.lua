-- Convolutions of single planes of the image with some kernels each: the kernels of a plane are gathered, and the dense
-- kernels process one plane. `lists` has the connections { kernel, plane of the map } of each plane of the image.

local ffi = require 'ffi'
local copy, fill = ffi.copy, ffi.fill

return function(engine, engine_calls)

   local room_of = {}

   -- Prepares the struct for single planes; returns scratch for kernels, maps and columns of up to `most` connections.
   local function begin(k, p, lists)
      local call, q, most = engine_calls[k], p.plan, 1
      for i = 1, #lists do most = #lists[i] > most and #lists[i] or most end
      local g = call.g
      g.plan, g.planes, g.image_step, g.map_step, g.weight_row, g.scale = q, 1, q.area, most * q.out, q.taps, 1
      local room = k.sized(room_of[k], most * (q.taps + q.out) + q.strip + q.taps * q.out)
      room_of[k] = room
      local weights = k.ptr(room)
      local maps = weights + most * q.taps
      local v = maps + most * q.out
      fill(v, q.strip * k.SIZE)
      return call.kernels, g, room, weights, maps, v, v + q.strip
   end

   -- Copies rows between a tensor and a contiguous list of them.
   local function gather(list, field, from, to, n, SIZE)
      for j = 1, #list do copy(to + (j - 1) * n, from + list[j][field] * n, n * SIZE) end
   end

   local function add_back(k, list, field, from, to, n)
      local add, SIZE = k.loop('add', k.T, k.T), k.SIZE
      for j = 1, #list do
         local z = to + list[j][field] * n
         add(z, SIZE, from + (j - 1) * n, SIZE, z, SIZE, n)
      end
   end

   local function planes_of(k, t, images, area) return k.count(t) / (images * area) end

   -- map += kernels * image.
   function engine.correlate_each(k, p, lists, images, image, weight, map)
      local kernels, g, room, weights, maps, v, columns = begin(k, p, lists)
      local q, x, y, w, SIZE = p.plan, k.ptr(image), k.ptr(map), k.ptr(weight), k.SIZE
      local planes = planes_of(k, map, images, q.out)
      for i = 1, #lists do
         local list = lists[i]
         g.outputs = #list
         gather(list, 'kernel', w, weights, q.taps, SIZE)
         for s = 0, #list > 0 and images - 1 or -1 do
            kernels.correlate(g, q, x + (s * #lists + i - 1) * q.area, maps, 1, weights, nil, v, columns, maps)
            add_back(k, list, 'plane', maps, y + s * planes * q.out, q.out)
         end
      end
      k.alive(room, image, weight, map)
   end

   -- image += the transposed convolution of the map with the kernels.
   function engine.spread_each(k, p, lists, images, map, weight, image)
      local kernels, g, room, weights, maps, v, columns = begin(k, p, lists)
      local q, x, y, w, SIZE = p.plan, k.ptr(image), k.ptr(map), k.ptr(weight), k.SIZE
      local planes = planes_of(k, map, images, q.out)
      local add, made = k.loop('add', k.T, k.T), k.new(q.area)
      for i = 1, #lists do
         local list = lists[i]
         g.outputs = #list
         gather(list, 'kernel', w, weights, q.taps, SIZE)
         for s = 0, #list > 0 and images - 1 or -1 do
            gather(list, 'plane', y + s * planes * q.out, maps, q.out, SIZE)
            kernels.spread(g, q, k.ptr(made), maps, 1, weights, nil, v, columns, maps)
            local z = x + (s * #lists + i - 1) * q.area
            add(z, SIZE, k.ptr(made), SIZE, z, SIZE, q.area)
         end
      end
      k.alive(room, image, weight, map, made)
   end

   -- kernels += scale * map image'.
   function engine.weigh_each(k, p, lists, images, image, map, weight, scale)
      local kernels, g, room, weights, maps, v, columns = begin(k, p, lists)
      local q, x, y, w, SIZE = p.plan, k.ptr(image), k.ptr(map), k.ptr(weight), k.SIZE
      local planes = planes_of(k, map, images, q.out)
      g.scale = scale
      for i = 1, #lists do
         local list = lists[i]
         g.outputs = #list
         fill(weights, #list * q.taps * SIZE)
         for s = 0, #list > 0 and images - 1 or -1 do
            gather(list, 'plane', y + s * planes * q.out, maps, q.out, SIZE)
            kernels.weigh(g, q, x + (s * #lists + i - 1) * q.area, maps, 1, weights, nil, v, columns, maps)
         end
         add_back(k, list, 'kernel', weights, w, q.taps)
      end
      k.alive(room, image, weight, map)
   end

end
