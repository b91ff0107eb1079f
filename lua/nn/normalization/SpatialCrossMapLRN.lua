-- nn.SpatialCrossMapLRN: each element over a power of the squares of its neighbours in other maps.

local ffi = require 'ffi'
local native, parallel_for = require 'torch.native.native', require 'torch.parallel.parallel_for'
local expect, kernel, lazy_table = require 'nn.expect', require 'nn.kernel', require 'torch.jit.lazy_table'
local cast = ffi.cast
local byte_p = ffi.typeof 'char *'

local run_parts = parallel_for.kind('nn.kernels.lrn_chunks', 'run')

-- Nanoseconds for an element.
local ELEMENT = 5

local structs = lazy_table(function(k)
   local g = ffi.new 't7_nn_lrn'
   for _, name in ipairs { 'add', 'multiply', 'divide' } do
      g[name].fn, g[name].data = native.raw_loop(name, k.T, k.T, k.T)
   end
   for _, name in ipairs { 'log', 'exp' } do g[name].fn, g[name].data = native.raw_loop(name, k.T, k.T) end
   g.type = k.T.index
   return g
end)

return function(Norm)

   -- Checks the input; returns the struct and the number of images.
   local function set(self, k, x)
      local n = x._dim
      if n ~= 3 and n ~= 4 then expect.fail(self, 'input must have 3 or 4 dimensions (got %s)', expect.describe(x)) end
      if not (self.size >= 1) then expect.refuse(self, 'size', 'at least 1', self.size) end
      local g = structs[k]
      g.maps, g.area = x._size[n - 3], x._size[n - 2] * x._size[n - 1]
      g.half, g.alpha, g.beta, g.k = math.floor((self.size - 1) / 2), self.alpha / self.size, self.beta, self.k
      return g, n == 4 and x._size[0] or 1
   end

   local function pointer(k, t) return cast(byte_p, k.ptr(t)) end

   function Norm:updateOutput(input)
      local k = kernel.of(self, input)
      local g, images = set(self, k, input)
      local x, y, scale = k.plain(input), k.like(self.output, input), k.like(self.scale or k.new(1), input)
      self.scale = scale
      g.back, g.x, g.y, g.scale = 0, pointer(k, x), pointer(k, y), pointer(k, scale)
      run_parts(images, 1, images * g.maps * g.area * ELEMENT, g)
      k.alive(x, y, scale)
      return y
   end

   function Norm:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local g, images = set(self, k, input)
      expect.grad_output(self, k, gradOutput, self.output)
      local function fits(t) return k.is(t) and k.same_size(t, input) end
      if not fits(self.scale) or not fits(self.output) then
         expect.fail(self, 'backward called before forward on this input')
      end
      local x, go, y, r = k.plain(input), k.plain(gradOutput), k.plain(self.output), k.like(self.gradInput, input)
      local scale = k.plain(self.scale)
      g.back, g.x, g.y, g.scale = 1, pointer(k, x), pointer(k, y), pointer(k, scale)
      g.go, g.r = pointer(k, go), pointer(k, r)
      run_parts(images, 1, images * g.maps * g.area * ELEMENT, g)
      k.alive(x, go, y, r, scale)
      return r
   end

end
