-- Plans of unfolding: which runs of an image go to which columns. These lists encode everything about strides, padding,
-- dilation and the number of dimensions, so that the kernels only copy and add runs. See
-- docs/decisions/0017-unfolding-by-runs.md.
--
-- An image is unfolded in two stages. Shifts along a row are copied first, row by row, into strips: for each kx, all
-- rows of the padded image, as wide as an output row. With a vertical stride, rows of one phase lie together. Each row
-- of the columns (a tap kt, ky, kx) is then one run of the strips per output slice. Margins of the strips are zeroed
-- once.

local unpack = unpack
local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min
local ffi = require 'ffi'

ffi.cdef [[
typedef struct { double count; intptr_t *to, *from, *size; } t7_nn_runs;
typedef struct {
   double area, strip, taps, out, step, flat, direct;
   t7_nn_runs rows, cuts;
   intptr_t *tap;
} t7_nn_plan;
]]

local unfold_plan = {}

-- The output size of a dimension: kernel k, stride d, padding p on both sides, dilation l.
function unfold_plan.output(size, k, d, p, l)
   return floor((size + 2 * p - (l * (k - 1) + 1)) / d) + 1
end

local integers = ffi.typeof 'intptr_t[?]'

-- Packs a list of { to, from, size } as three arrays; `keep` holds them alive.
local function pack(runs, list, keep)
   local n = #list
   local to, from, size = integers(n), integers(n), integers(n)
   for i = 1, n do
      local run = list[i]
      to[i - 1], from[i - 1], size[i - 1] = run[1], run[2], run[3]
   end
   runs.count, runs.to, runs.from, runs.size = n, to, from, size
   keep[#keep + 1], keep[#keep + 2], keep[#keep + 3] = to, from, size
end

-- Appends a run, or extends the last one if both sides are contiguous with it.
local function append(list, to, from, size, step)
   local last = list[#list]
   if last and step == 1 and last[1] + last[3] == to and last[2] + last[3] == from and last.joins then
      last[3] = last[3] + size
   else
      list[#list + 1] = { to, from, size, joins = true }
   end
end

-- A plan for a list of 18 numbers: t, h, w of the images, of the kernel, stride, padding, dilation and outputs.
function unfold_plan.new(numbers)
   local st, sh, sw, kt, kh, kw, dt, dh, dw, pt, ph, pw, lt, lh, lw, ot, oh, ow = unpack(numbers, 1, 18)
   -- Rows of the strips: as far as any tap reads, in phases of the vertical stride.
   local slices = max((ot - 1) * dt + (kt - 1) * lt + 1, 1)
   local reach = max((oh - 1) * dh + (kh - 1) * lh + 1, 1)
   local phase = ceil(reach / dh)
   local lines = phase * dh
   local strip = slices * lines * ow
   local rows, keep = {}, {}
   for kx = 0, kw - 1 do
      local shift = kx * lw - pw
      local first = max(ceil(-shift / dw), 0)
      local last = min(floor((sw - 1 - shift) / dw), ow - 1)
      if last >= first then
         for t = max(pt, 0), min(pt + st, slices) - 1 do
            for y = max(ph, 0), min(ph + sh, reach) - 1 do
               local at = y % dh * phase + floor(y / dh)
               append(rows, kx * strip + (t * lines + at) * ow + first,
                  ((t - pt) * sh + y - ph) * sw + first * dw + shift, last - first + 1, dw)
            end
         end
      end
   end
   local cuts, taps = {}, {}
   for a = 0, kt - 1 do
      for b = 0, kh - 1 do
         for c = 0, kw - 1 do
            local tap = (a * kh + b) * kw + c
            local at = b * lh
            local line = at % dh * phase + floor(at / dh)
            for o = 0, ot - 1 do
               cuts[#cuts + 1] = { o * oh * ow, c * strip + ((o * dt + a * lt) * lines + line) * ow, oh * ow }
               taps[#taps + 1] = tap
            end
         end
      end
   end
   local made = ffi.new 't7_nn_plan'
   made.area, made.strip, made.taps, made.out, made.step = st * sh * sw, kw * strip, kt * kh * kw, ot * oh * ow, dw
   pack(made.rows, rows, keep)
   pack(made.cuts, cuts, keep)
   local tap = integers(#taps)
   for i = 1, #taps do tap[i - 1] = taps[i] end
   made.tap = tap
   keep[#keep + 1] = tap
   -- Strips are the columns if no tap is above another.
   made.flat = kt == 1 and kh == 1 and dt == 1 and dh == 1 and 1 or 0
   -- Columns are the image itself for kernels of one element that visit every pixel.
   local whole = #rows == 1 and made.taps == 1 and dw == 1 and rows[1][3] == made.area and made.area == made.out
   made.direct = whole and 1 or 0
   return { plan = made, keep = keep, numbers = { unpack(numbers, 1, 18) } }
end

return unfold_plan
