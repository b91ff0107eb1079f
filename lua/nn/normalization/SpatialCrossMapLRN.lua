-- nn.SpatialCrossMapLRN: each element over a power of the squares of its neighbours in other maps.

local ffi = require 'ffi'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local lib = require 'torch.native.kernels' 'nn/lrn'

local call = ffi.new 't7_lrn'
local forward = kernel.functions(lib, 't7_lrn_forward')
local backward = kernel.functions(lib, 't7_lrn_backward')

return function(Norm)

   -- Checks the input, and sets the call.
   local function set(self, x)
      local n = x._dim
      if n ~= 3 and n ~= 4 then expect.fail(self, 'input must have 3 or 4 dimensions (got %s)', expect.describe(x)) end
      if not (self.size >= 1) then expect.argument_error(self, 'size', 'at least 1', self.size) end
      call.images, call.maps, call.area = n == 4 and x._size[0] or 1, x._size[n - 3], x._size[n - 2] * x._size[n - 1]
      call.half, call.alpha = math.min(math.floor((self.size - 1) / 2), call.maps), self.alpha / self.size
      call.beta, call.k = self.beta, self.k
   end

   function Norm:updateOutput(input)
      local k = kernel.of(self, input)
      set(self, input)
      local x, y, scale = k.as_contiguous(input), k.resize_as(self.output, input), k.resize_as(self.scale or k.new(1),
         input)
      self.scale = scale
      forward[k](call, k.ptr(x), k.ptr(scale), k.ptr(y))
      k.keep_alive(x, y, scale)
      return y
   end

   function Norm:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      set(self, input)
      expect.grad_output(self, k, gradOutput, self.output)
      local function fits(t) return k.is(t) and k.same_size(t, input) end
      if not fits(self.scale) or not fits(self.output) then
         expect.fail(self, 'backward called before forward on this input')
      end
      local x, go, y, r = k.as_contiguous(input), k.as_contiguous(gradOutput), k.as_contiguous(self.output),
         k.resize_as(self.gradInput, input)
      local scale = k.as_contiguous(self.scale)
      local parts = k.new(k.numel(input))
      backward[k](call, k.ptr(x), k.ptr(scale), k.ptr(y), k.ptr(go), k.ptr(parts), k.ptr(r))
      k.keep_alive(x, go, y, r, scale, parts)
      return r
   end

end
