-- Padding of the last two or three dimensions: with zeros, by reflection, or with the elements of the edges.
-- Negative padding cuts elements off.

local ffi = require 'ffi'
local torch = require 'torch'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local geometry = require 'nn.checks.geometry'

ffi.cdef [[
typedef struct {
   double planes, in_rows, width, rows, out_width, from, to, run, border, once; int32_t *row, *column, *source;
} t7_nn_frame;
]]

local kernels_of = kernel.load 'kernels/frame_padding'

local function mirrored(i, size) return i < 0 and -i or i >= size and 2 * (size - 1) - i or i end
local function clamped(i, size) return math.max(math.min(i, size - 1), 0) end

-- fields: the paddings of a class before and after, by dimensions; names of them when printed. source: where elements
-- beyond the edges come from, nil for zeros.
local spatial = { { 'pad_t', 'pad_b' }, { 'pad_l', 'pad_r' } }
local short = { { 'l', 'pad_l' }, { 'r', 'pad_r' }, { 't', 'pad_t' }, { 'b', 'pad_b' } }
local specs = {
   SpatialZeroPadding = { fields = spatial, shown = short },
   SpatialReflectionPadding = { fields = spatial, shown = short, source = mirrored, reflects = true },
   SpatialReplicationPadding = { fields = spatial, shown = short, source = clamped },
   VolumetricReplicationPadding = {
      fields = { { 'pfront', 'pback' }, { 'ptop', 'pbottom' }, { 'pleft', 'pright' } },
      shown = { { 'left', 'pleft' }, { 'right', 'pright' }, { 'top', 'ptop' }, { 'bottom', 'pbottom' },
         { 'front', 'pfront' }, { 'back', 'pback' } },
      source = clamped,
   },
}

return function(Pad, parent, _, name)

   local spec = specs[name]
   local n = #spec.fields

   function Pad:__init(...)
      parent.__init(self)
      local list = { ... }
      for i, entry in ipairs(spec.shown) do
         local padding = list[i] or list[1]
         self[entry[2]] = padding and expect.integer(name, entry[2], padding)
      end
   end

   local wanted = {}

   -- Checks a call; returns lists of sizes, of new sizes, and of paddings before.
   local function prepare(self, x)
      local count = x._dim
      if count ~= n + 1 and count ~= n + 2 then
         expect.fail(self, 'input must have %d or %d dimensions (got %s)', n + 1, n + 2, expect.describe(x))
      end
      local from, to, before = {}, {}, {}
      for d = 1, count - n do wanted[d] = x._size[d - 1] end
      for d = 1, n do
         local size, names = x._size[count - n + d - 1], spec.fields[d]
         local first = geometry.integer(self, names[1], self[names[1]], -geometry.MAX_INT32)
         local last = geometry.integer(self, names[2], self[names[2]], -geometry.MAX_INT32)
         if spec.reflects and (first >= size or last >= size) then
            expect.fail(self, 'padding must be smaller than the input (got %d and %d for %s)', first, last,
               expect.describe(x))
         end
         from[d], to[d], before[d] = size, size + first + last, first
         if to[d] < 1 then
            expect.fail(self, 'input too small: dimension %d of the output would be %d (got %s)', count - n + d, to[d],
               expect.describe(x))
         end
         wanted[count - n + d] = geometry.integer(self, 'output size', to[d], 1)
      end
      geometry.area(self, 'a plane of the input', from[1], from[2], from[3])
      geometry.elements(self, 'output', wanted, count)
      return from, to, before
   end

   -- Lists the sources of `out` indices of a dimension, -1 for zeros.
   local function sources(size, out, before)
      local list = ffi.new('int32_t[?]', out)
      for o = 0, out - 1 do
         local i = o - before
         if i < 0 or i >= size then i = spec.source and spec.source(i, size) or -1 end
         list[o] = i
      end
      return list
   end

   -- Describes a call for the kernels: sources of the rows of the output, the run of columns that is copied, and the
   -- border columns.
   local function describe(k, x, from, to, before)
      local f = ffi.new 't7_nn_frame'
      local keep = {}
      local columns = sources(from[n], to[n], before[n])
      f.from, f.to = math.max(-before[n], 0), math.max(before[n], 0)
      f.run = math.min(from[n] - f.from, to[n] - f.to)
      f.width, f.out_width, f.once = from[n], to[n], spec.source and 0 or 1
      local rows = sources(from[n - 1], to[n - 1], before[n - 1])
      local slices = n == 3 and sources(from[1], to[1], before[1]) or { [0] = 0 }
      local count = (n == 3 and to[1] or 1) * to[n - 1]
      local list = ffi.new('int32_t[?]', count)
      for r = 0, count - 1 do
         local slice, row = slices[(r - r % to[n - 1]) / to[n - 1]], rows[r % to[n - 1]]
         list[r] = slice >= 0 and row >= 0 and slice * from[n - 1] + row or -1
      end
      f.rows, f.row, f.in_rows = count, list, (n == 3 and from[1] or 1) * from[n - 1]
      local border, source = ffi.new('int32_t[?]', to[n]), ffi.new('int32_t[?]', to[n])
      for c = 0, to[n] - 1 do
         if (c < f.to or c >= f.to + f.run) and columns[c] >= 0 then
            border[f.border], source[f.border] = c, columns[c]
            f.border = f.border + 1
         end
      end
      f.column, f.source = border, source
      f.planes = k.numel(x) / (f.in_rows * f.width)
      keep[1], keep[2], keep[3] = list, border, source
      return f, keep
   end

   function Pad:updateOutput(input)
      local k = kernel.of(self, input)
      local from, to, before = prepare(self, input)
      local x, y = k.as_contiguous(input), geometry.resized(k, self.output, wanted, input._dim)
      self.output = y
      local f, keep = describe(k, input, from, to, before)
      kernels_of(k).pad(f, k.ptr(x), k.ptr(y))
      k.keep_alive(x, y, keep)
      return y
   end

   function Pad:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local from, to, before = prepare(self, input)
      geometry.check_gradient(self, k, gradOutput, wanted, input._dim)
      local f, keep = describe(k, input, from, to, before)
      local g, r = k.as_contiguous(gradOutput), k.resize_as(self.gradInput, input)
      kernels_of(k).unpad(f, k.ptr(r), k.ptr(g))
      k.keep_alive(g, r, keep)
      return r
   end

   function Pad:__tostring__()
      local list = {}
      for i, entry in ipairs(spec.shown) do list[i] = string.format('%s=%d', entry[1], self[entry[2]]) end
      return torch.type(self) .. '(' .. table.concat(list, ', ') .. ')'
   end

end
