-- Plans of convolutions without columns: the layout of a padded copy of the source, the offsets of taps in it, and the
-- offsets of result vectors. These lists encode everything about strides, padding and dilation.
--
-- Columns of a copy that are equal modulo the stride lie together, so that a row of results reads contiguous runs. Both
-- directions are such sums: a transposed convolution computes its image in phases, each from some of the taps of a copy
-- of the map.

local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min
local ffi, unpack = require 'ffi', unpack
local vector_masks, direct_code = require 'torch.native.vector_masks', require 'nn.kernels.direct_code'

-- A source has `inputs` planes of `source_area` elements, each of which takes `plane` elements of the copy if it must
-- be `copied`. `fill` are pairs of row offsets; rows have `sizes` bytes if `step` is 1. Otherwise they have `width`
-- elements, and part i, the elements from i on with that step, has part_counts[i] elements at part_offsets[i]. Each of
-- the phases has a list of taps and one of result vectors (direct_code.lua). If result columns are `to_step` apart,
-- rows of results go to scratch of `to_plane` elements per plane, and `merge` are pairs as in `fill`. The input of
-- `chunk` vectors, of all planes, fits the L2 cache. Lists for sums have the vectors of `batch` images. If `weights`
-- are laid out for blocks, weight_sources are pairs of a source plane and a tap.
ffi.cdef [[
typedef struct {
   double inputs, source_area, plane, copied, rows, step, width, to_area, phases, to_step, to_plane, to_rows, to_width,
      chunk, batch, weights;
   intptr_t *weight_sources, *fill, *sizes, *part_counts, *part_offsets, *merge, *to_counts, *to_offsets;
   intptr_t **taps, **taps_end, **vectors;
   double *counts;
} t7_nn_direct;
]]

local direct_plan = {}

-- Bytes of a vector, and fewest vectors that are summed in one call.
local VECTOR, TOGETHER = 32, 64
local integers, doubles = ffi.typeof 'intptr_t[?]', ffi.typeof 'double[?]'
local pointers = ffi.typeof 'intptr_t *[?]'

-- The address of the masks for elements of a size.
local function masks_of(size) return tonumber(ffi.cast('intptr_t', vector_masks(size))) end

-- A list of numbers as an array.
local function pack(keep, list)
   local array = integers(max(#list, 1))
   for i = 1, #list do array[i - 1] = list[i] end
   keep[#keep + 1] = array
   return array
end

-- Appends the vectors of a row of `width` results.
local function append_vectors(list, from, to, width, size, own)
   local lanes, mask = VECTOR / size, masks_of(size)
   for x = 0, width - 1, lanes do
      local n, at = width - x, #list
      list[at + 1], list[at + 2] = (from + x) * size, (to + x) * size
      list[at + 3], list[at + 4] = n < lanes and mask + n * VECTOR or 0, own and x * size or 0
   end
end

-- The number of elements of each phase of `width` columns, the first of which is column `shift`, and their offsets.
local function parts(keep, width, shift, step, pitch, size)
   local counts, offsets = {}, {}
   for i = 0, step - 1 do
      local x = shift + i
      counts[i + 1], offsets[i + 1] = max(ceil((width - i) / step), 0), (x % step * pitch + floor(x / step)) * size
   end
   return pack(keep, counts), pack(keep, offsets)
end

-- Appends a pair of row offsets, or extends the last run if both sides are contiguous with it.
local function append_row(fill, sizes, from, to, bytes, step)
   local n = #sizes
   if step == 1 and n > 0 and fill[2 * n - 1] + sizes[n] == from and fill[2 * n] + sizes[n] == to then
      sizes[n] = sizes[n] + bytes
   else
      fill[2 * n + 1], fill[2 * n + 2], sizes[n + 1] = from, to, bytes
   end
end

-- Bytes of a copy that a chunk reads, and a multiple of all vector counts of a tile.
local CHUNK, MULTIPLE = 2 ^ 17, 12

local function set_phases(made, keep, phases, steps)
   local n = #phases
   made.batch = max(made.batch, 1)
   made.chunk = max(floor(CHUNK / (made.inputs * VECTOR * steps * MULTIPLE)), 2) * MULTIPLE
   local arrays = { pointers(n), pointers(n), pointers(n), doubles(n) }
   made.phases, made.taps, made.taps_end, made.vectors, made.counts = n, unpack(arrays)
   keep[#keep + 1] = arrays
   for i, phase in ipairs(phases) do
      local taps, count = phase.taps, #phase.taps
      -- Code for sums takes several taps at once: the last one is repeated.
      while count > 0 and #taps % (2 * direct_code.TAPS) > 0 do
         taps[#taps + 1], taps[#taps + 2] = taps[count - 1], taps[count]
      end
      made.taps[i - 1], made.vectors[i - 1] = pack(keep, taps), pack(keep, phase.vectors)
      made.taps_end[i - 1], made.counts[i - 1] = made.taps[i - 1] + count, #phase.vectors / direct_code.WORDS
   end
end

-- Tells whether a copy would equal the source, and no vector reads beyond its end.
local function is_source(made, width, size)
   return made.step == 1 and made.rows == 1 and made.fill[0] == 0 and made.fill[1] == 0
      and made.plane == made.source_area and made.sizes[0] == made.plane * size and width % (VECTOR / size) == 0
end

-- The plan from the image to the map, for the numbers of unfold_plan.lua and elements of a size. Taps are the weights
-- of a plane of the image; with `own` each column has separate weights, those of a tap next to each other. Small planes
-- are batched: their maps are `to_step` apart.
function direct_plan.correlate(numbers, inputs, size, to_step, own)
   local st, sh, sw, kt, kh, kw, dt, dh, dw, pt, ph, pw, lt, lh, lw, ot, oh, ow = unpack(numbers, 1, 18)
   local depth, height = (ot - 1) * dt + (kt - 1) * lt + 1, (oh - 1) * dh + (kh - 1) * lh + 1
   local pitch = ceil(((ow - 1) * dw + (kw - 1) * lw + 1) / dw)
   local line, keep = dw * pitch, {}
   local made = ffi.new 't7_nn_direct'
   made.inputs, made.source_area, made.plane, made.step = inputs, st * sh * sw, depth * height * line, dw
   made.width, made.to_area, made.to_step = max(min(sw, line - pw), 0), ot * oh * ow, 1
   local fill, sizes = {}, {}
   for z = 0, min(st, depth - pt) - 1 do
      for y = 0, min(sh, height - ph) - 1 do
         append_row(fill, sizes, (z * sh + y) * sw * size, (((z + pt) * height + y + ph) * line
            + (dw == 1 and pw or 0)) * size, made.width * size, dw)
      end
   end
   made.rows, made.fill, made.sizes = #sizes, pack(keep, fill), pack(keep, sizes)
   made.part_counts, made.part_offsets = parts(keep, made.width, pw, dw, pitch, size)
   local phase = { taps = {}, vectors = {} }
   local weight = 0
   for plane = 0, inputs - 1 do
      for a = 0, kt - 1 do
         for b = 0, kh - 1 do
            for c = 0, kw - 1 do
               local at = ((a * lt * height + b * lh) * line) + c * lw % dw * pitch + floor(c * lw / dw)
               local n = #phase.taps
               phase.taps[n + 1], phase.taps[n + 2] = (plane * made.plane + at) * size, weight * size
               weight = weight + (own and ow or 1)
            end
         end
      end
   end
   made.copied = is_source(made, ow, size) and 0 or 1
   made.batch = to_step and ceil(TOGETHER / (ot * oh * ceil(ow * size / VECTOR))) or 1
   local copy = inputs * made.plane
   for s = 0, made.batch - 1 do
      for z = 0, ot - 1 do
         for y = 0, oh - 1 do
            append_vectors(phase.vectors, s * copy + (z * dt * height + y * dh) * line,
               s * (to_step or 0) + (z * oh + y) * ow, ow, size, own)
         end
      end
   end
   if made.batch > 1 then made.copied = 1 end
   set_phases(made, keep, { phase }, dh * dw)
   made.counts[0] = made.counts[0] / made.batch
   return { plan = made, keep = keep }
end

-- The taps of a dimension that contribute to elements equal to `a` modulo the stride, and the shifts of the map for
-- them.
local function taps_of(kernel, stride, dilation, a)
   local list = {}
   for i = 0, kernel - 1 do
      if (i * dilation - a) % stride == 0 then list[#list + 1] = { i, (i * dilation - a) / stride } end
   end
   return list
end

-- The plan from the map to the image. Weights of a tap are next to each other for the planes of a block.
function direct_plan.spread(numbers, inputs, size, _, own)
   local st, sh, sw, kt, kh, kw, dt, dh, dw, pt, ph, pw, lt, lh, lw, ot, oh, ow = unpack(numbers, 1, 18)
   local before_t, before_h, before_w = floor((kt - 1) * lt / dt), floor((kh - 1) * lh / dh), floor((kw - 1) * lw / dw)
   local depth = before_t + max(floor((st - 1 + pt) / dt) + 1, ot)
   local height = before_h + max(floor((sh - 1 + ph) / dh) + 1, oh)
   local line = before_w + max(floor((sw - 1 + pw) / dw) + 1, ow)
   local keep, made = {}, ffi.new 't7_nn_direct'
   made.inputs, made.source_area, made.plane, made.step = inputs, ot * oh * ow, depth * height * line, 1
   made.to_area, made.to_step, made.copied = st * sh * sw, dw, 1
   local fill, sizes = {}, {}
   for z = 0, ot - 1 do
      for y = 0, oh - 1 do
         append_row(fill, sizes, (z * oh + y) * ow * size, (((z + before_t) * height + y + before_h) * line
            + before_w) * size, ow * size, 1)
      end
   end
   made.rows, made.fill, made.sizes = #sizes, pack(keep, fill), pack(keep, sizes)
   -- Rows in scratch are whole vectors.
   local lanes, merge = VECTOR / size, {}
   local pitch = ceil(ceil(sw / dw) / lanes) * lanes
   if dw > 1 then
      for y = 0, st * sh - 1 do merge[2 * y + 1], merge[2 * y + 2] = y * sw * size, y * dw * pitch * size end
      made.to_plane, made.to_rows, made.to_width = st * sh * dw * pitch, st * sh, sw
      made.to_counts, made.to_offsets = parts(keep, sw, 0, dw, pitch, size)
   end
   made.merge = pack(keep, merge)
   local phases, weight, weights = {}, 0, {}
   for r = 0, dt * dh * dw - 1 do
      local at, ah, aw = floor(r / (dh * dw)), floor(r / dw) % dh, r % dw
      local phase = { taps = {}, vectors = {} }
      local deep, high, wide = taps_of(kt, dt, lt, at), taps_of(kh, dh, lh, ah), taps_of(kw, dw, lw, aw)
      for plane = 0, inputs - 1 do
         for _, a in ipairs(deep) do
            for _, b in ipairs(high) do
               for _, c in ipairs(wide) do
                  local n, tap = #phase.taps, (a[1] * kh + b[1]) * kw + c[1]
                  weights[2 * weight + 1], weights[2 * weight + 2] = plane, tap
                  phase.taps[n + 1] = (plane * made.plane - (a[2] * height + b[2]) * line - c[2]) * size
                  phase.taps[n + 2] = (own and tap * sw or weight * direct_code.MOST) * size
                  weight = weight + 1
               end
            end
         end
      end
      -- The first column of the phase in the image, its number in the phase, and the number of columns.
      local first = (aw - pw) % dw
      local x = (first + pw - aw) / dw
      local count = dw == 1 and sw or ceil(ceil((sw - first) / dw) / lanes) * lanes
      for z = (at - pt) % dt, st - 1, dt do
         for y = (ah - ph) % dh, sh - 1, dh do
            local from = ((((z + pt - at) / dt + before_t) * height) + (y + ph - ah) / dh + before_h) * line
            local to = dw == 1 and (z * sh + y) * sw or (z * sh + y) * dw * pitch + first * pitch
            append_vectors(phase.vectors, from + x + before_w, to, count, size, own)
         end
      end
      if #phase.vectors > 0 then phases[#phases + 1] = phase end
   end
   made.weights, made.weight_sources = weight, pack(keep, weights)
   set_phases(made, keep, phases, 1)
   return { plan = made, keep = keep }
end

-- Lists for sums over rows of products of an image and a map with contiguous columns: the weights of a column are such
-- sums, starting from a row of the image.
function direct_plan.columns(numbers, _, size)
   local rows, width, step, stop = numbers[2], numbers[3], numbers[8], numbers[17]
   local keep, made, phase = {}, ffi.new 't7_nn_direct', { taps = {}, vectors = {} }
   made.inputs, made.source_area, made.to_area = 1, rows * width, stop * width
   made.copied = width % (VECTOR / size) == 0 and 0 or 1
   for y = 0, stop - 1 do
      phase.taps[2 * y + 1], phase.taps[2 * y + 2] = y * step * width * size, y * width * size
   end
   append_vectors(phase.vectors, 0, 0, width, size, true)
   set_phases(made, keep, { phase }, 1)
   return { plan = made, keep = keep }
end

return direct_plan
