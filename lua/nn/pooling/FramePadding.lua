-- Padding of the last two or three dimensions: with zeros, by reflection, or with the elements of the edges.
-- Negative padding cuts elements off.

local ffi = require 'ffi'
local torch = require 'torch'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local geometry = require 'nn.checks.geometry'

local lib = require 'torch.native.kernels' 'nn/padding'
local pad, pad_backward = kernel.functions(lib, 't7_pad'), kernel.functions(lib, 't7_pad_backward')
local call = ffi.new 't7_padding'
local no_padding = ffi.new('int32_t[1]', 0)

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

   -- Sets the call for planes of the sizes `from`, which become those of sizes `to`. Returns lists that it points to.
   local function set_call(x, from, to, before)
      local keep, planes = {}, 1
      call.size[0], call.out[0], call.source[0] = 1, 1, no_padding
      for d = 1, n do
         local at = d + 2 - n
         keep[d] = sources(from[d], to[d], before[d])
         call.size[at], call.out[at], call.source[at] = from[d], to[d], keep[d]
      end
      for d = 0, x._dim - n - 1 do planes = planes * x._size[d] end
      call.begin = math.min(math.max(before[n], 0), to[n])
      call.finish = math.max(math.min(before[n] + from[n], to[n]), call.begin)
      call.planes = planes
      return keep
   end

   function Pad:updateOutput(input)
      local k = kernel.of(self, input)
      local from, to, before = prepare(self, input)
      local x, y = k.as_contiguous(input), geometry.resized(k, self.output, wanted, input._dim)
      self.output = y
      local keep = set_call(input, from, to, before)
      pad[k](call, k.ptr(x), k.ptr(y))
      k.keep_alive(x, y, keep)
      return y
   end

   function Pad:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local from, to, before = prepare(self, input)
      geometry.check_gradient(self, k, gradOutput, wanted, input._dim)
      local g, r = k.as_contiguous(gradOutput), k.resize_as(self.gradInput, input)
      local keep
      if spec.source then
         keep = set_call(input, from, to, before)
         pad_backward[k](call, k.ptr(g), k.ptr(r))
      else
         -- The gradients of what was added are cut off again.
         for d = 1, n do before[d] = -before[d] end
         keep = set_call(input, to, from, before)
         pad[k](call, k.ptr(g), k.ptr(r))
      end
      k.keep_alive(g, r, keep)
      return r
   end

   function Pad:__tostring__()
      local list = {}
      for i, entry in ipairs(spec.shown) do list[i] = string.format('%s=%d', entry[1], self[entry[2]]) end
      return torch.type(self) .. '(' .. table.concat(list, ', ') .. ')'
   end

end
