-- Plans of pooling: lists of the offsets of windows in a plane and of elements in a window, so that the kernels are one
-- loop over outputs for any size, stride, padding and dilation. See docs/decisions/0017-unfolding-by-runs.md.

local ceil, floor, frexp, min, unpack = math.ceil, math.floor, math.frexp, math.min, unpack
local ffi = require 'ffi'

-- area: of a plane; padded: of a padded plane, 0 without padding; outputs: windows per plane. at: offset of each window
-- in the (padded) plane; tap: offsets of elements from there. origin: index of the first element of a window in the
-- plane, counted from 1; step: index differences from there. columns: elements per row of a window, `apart` elements
-- apart. divisor: divisors of the window sums. If all are powers of two, `factors` is 1 and they are reciprocals to
-- multiply by: the same bits in less time. row_*: rows of a plane and of a padded one. empty: numbers of the `empties`
-- windows without an element of the plane.
ffi.cdef [[
typedef struct {
   double area, padded, outputs, taps, columns, apart, width, lines, relative,
   empties, factors;
   int32_t *at, *row_from, *row_to, *empty; double *tap, *origin, *step, *divisor, *position;
} t7_nn_windows;
]]

local pooling_plan = {}

local ints, doubles = ffi.typeof 'int32_t[?]', ffi.typeof 'double[?]'

-- The output size of a dimension. If any dimension is `padded`, the last window starts inside of the plane.
function pooling_plan.output(size, k, d, p, l, up, padded)
   local count = (size - (l * (k - 1) + 1) + 2 * p) / d
   local out = (up and ceil(count) or floor(count)) + 1
   if padded and (out - 1) * d >= size + p then out = out - 1 end
   return out
end

-- Tells whether any of k elements, l apart from `from` on, lies within a size.
local function reaches(from, k, l, size)
   local first = from < 0 and ceil(-from / l) or 0
   return first < k and from + first * l < size
end

-- Replaces divisors by reciprocals if all are powers of two; tells whether they are.
local function to_factors(divisor, n)
   for q = 0, n - 1 do
      if frexp(divisor[q]) ~= 0.5 then return false end
   end
   for q = 0, n - 1 do divisor[q] = 1 / divisor[q] end
   return true
end

-- A plan for a list of 18 numbers: t, h, w of the planes, of the windows, stride, padding, dilation and outputs.
-- `include` counts padding in divisors; 'none' makes them 1. Indices of temporal pooling are `relative`: they count the
-- elements of a window.
function pooling_plan.new(numbers, include, relative)
   local st, sh, sw, kt, kh, kw, dt, dh, dw, pt, ph, pw, lt, lh, lw, ot, oh, ow = unpack(numbers, 1, 18)
   -- Sizes that the windows cover.
   local rt, rh = (ot - 1) * dt + (kt - 1) * lt + 1, (oh - 1) * dh + (kh - 1) * lh + 1
   local rw = (ow - 1) * dw + (kw - 1) * lw + 1
   local bare = pt == 0 and ph == 0 and pw == 0 and rt <= st and rh <= sh and rw <= sw
   -- Sizes of the plane that windows read.
   local ft, fh, fw = bare and st or rt, bare and sh or rh, bare and sw or rw
   local outputs, taps = ot * oh * ow, kt * kh * kw
   local at, origin, divisor, position = ints(outputs), doubles(outputs), doubles(outputs), doubles(outputs)
   local tap, step = doubles(taps), doubles(taps)
   local empty, empties = ints(outputs), 0
   local function extent(o, d, p, k, size)
      local from = o * d - p
      local to = min(from + k, size + p)
      local whole = to - from
      return whole, min(to, size) - (from > 0 and from or 0)
   end
   local q = 0
   for a = 0, ot - 1 do
      local whole_t, inner_t = extent(a, dt, pt, kt, st)
      local in_t = reaches(a * dt - pt, kt, lt, st)
      for b = 0, oh - 1 do
         local whole_h, inner_h = extent(b, dh, ph, kh, sh)
         local in_h = in_t and reaches(b * dh - ph, kh, lh, sh)
         for c = 0, ow - 1 do
            local whole_w, inner_w = extent(c, dw, pw, kw, sw)
            at[q] = (a * dt * fh + b * dh) * fw + c * dw
            position[q] = ((a * dt - pt) * sh + (b * dh - ph)) * sw + c * dw - pw
            origin[q] = relative and 0 or position[q] + 1
            if include == 'none' then
               divisor[q] = 1
            else
               divisor[q] = include and whole_t * whole_h * whole_w or inner_t * inner_h * inner_w
            end
            if not (in_h and reaches(c * dw - pw, kw, lw, sw)) then
               empty[empties] = q
               empties = empties + 1
            end
            q = q + 1
         end
      end
   end
   q = 0
   for a = 0, kt - 1 do
      for b = 0, kh - 1 do
         for c = 0, kw - 1 do
            tap[q] = (a * lt * fh + b * lh) * fw + c * lw
            step[q] = relative and q or (a * lt * sh + b * lh) * sw + c * lw
            q = q + 1
         end
      end
   end
   local made = ffi.new 't7_nn_windows'
   made.area, made.padded = st * sh * sw, bare and 0 or ft * fh * fw
   made.outputs, made.taps, made.columns, made.apart = outputs, taps, kw, lw
   made.at, made.origin, made.divisor, made.position, made.tap, made.step = at, origin, divisor, position, tap, step
   made.relative, made.empty, made.empties = relative and 1 or 0, empty, empties
   made.factors = to_factors(divisor, outputs) and 1 or 0
   local keep = { at, origin, divisor, position, tap, step, empty }
   if not bare then
      -- Rows of the plane that windows reach, as wide as both.
      local from, to, n = ints(st * sh), ints(st * sh), 0
      for z = 0, st - 1 do
         for y = 0, sh - 1 do
            if z + pt < ft and y + ph < fh then
               from[n], to[n] = (z * sh + y) * sw, ((z + pt) * fh + y + ph) * fw + pw
               n = n + 1
            end
         end
      end
      made.lines, made.width, made.row_from, made.row_to = n, min(sw, fw - pw), from, to
      keep[#keep + 1], keep[#keep + 2] = from, to
   end
   return { plan = made, keep = keep, numbers = { unpack(numbers, 1, 18) }, include = include }
end

return pooling_plan
