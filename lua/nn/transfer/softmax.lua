-- nn.SoftMax, nn.LogSoftMax and their spatial forms: along a vector, the rows of a matrix, or the planes of
-- pictures.

local ceil, ipairs, min = math.ceil, ipairs, math.min
local ffi = require 'ffi'
local load, native = require('torch.jit.loader').load, require 'torch.native.native'
local parallel_for = require 'torch.parallel.parallel_for'
local expect, kernel, template = require 'nn.expect', require 'nn.kernel', require 'torch.jit.template'
local softmax_chunks = require 'nn.kernels.softmax_chunks'
local cast = ffi.cast
local byte_p = ffi.typeof 'char *'

local share = parallel_for.kind('nn.kernels.softmax_chunks', 'run')

-- Nanoseconds for a byte, and for the calls of a group; elements of a piece of a plane.
local BYTE, CALLS, WIDTH = 0.15, 100, 1024

-- The struct of a type; the function of all work where loops have no pointers.
local structs, without_pointers = {}, {}

local function make(k)
   local T, g, loops = k.T, ffi.new 't7_nn_softmax', {}
   local possible = true
   local function add(name, ...)
      g[name].fn, g[name].data = native.raw_loop(name, ...)
      possible, loops[name] = possible and g[name].fn ~= nil, native.loop_alone(name, ...)
   end
   for _, name in ipairs(softmax_chunks.binary) do add(name, T, T, T) end
   for _, name in ipairs(softmax_chunks.unary) do
      if name ~= 'exp2' or T.size == 4 and native.in_vectors(name, T, T) then add(name, T, T) end
   end
   g.type, g.dot = T.index, native.routine('blas', T, 'dot')
   structs[k], without_pointers[k] = g, not possible and load 'nn.kernels.softmax_kernels'(T, loops) or nil
   return g
end

local function run(k, count, n, step, logarithm, x, go, r)
   local g = structs[k] or make(k)
   g.n, g.step, g.logarithm, g.back = n, step, logarithm, go and 1 or 0
   g.x, g.go, g.r = cast(byte_p, k.ptr(x)), go and cast(byte_p, k.ptr(go)) or nil, cast(byte_p, k.ptr(r))
   g.width = min(step, WIDTH)
   local parts = count * ceil(step / WIDTH)
   if without_pointers[k] then return without_pointers[k](g, 0, parts) end
   share(parts, 1, count * (CALLS + n * step * k.SIZE * BYTE), g)
end

-- How many groups of how many values there are, how far the values are apart.
local function extent(self, x, spatial)
   local size, dim = x._size, x._dim
   if spatial and dim ~= 3 and dim ~= 4 or dim < 1 or dim > 4 then
      expect.fail(self, 'input must have %s dimensions (got %s)', spatial and '3 or 4' or '1 to 4',
         expect.describe(x))
   end
   if dim == 1 then return 1, size[0], 1 end
   if dim == 2 then return size[0], size[1], 1 end
   if dim == 3 then return 1, size[0], size[1] * size[2] end
   return size[0], size[1], size[2] * size[3]
end

local source = [[
local function updateOutput(self, input)
   local k = kernel.of(self, input)
   local count, n, step = extent(self, input, $spatial)
   local x, y = k.plain(input), k.like(self.output, input)
   run(k, count, n, step, $logarithm, x, nil, y)
   k.alive(x, y)
   return y
end

local function updateGradInput(self, input, gradOutput)
   local k = kernel.of(self, input)
   local count, n, step = extent(self, input, $spatial)
   local y = self.output
   if not (k.is(y) and k.is(gradOutput)) then check.grad_output(self, k, gradOutput, y) end
   if k.count(y) ~= k.count(input) then check.fail(self, 'backward called before forward on this input') end
   if k.count(gradOutput) ~= k.count(input) then check.same_count(self, input, gradOutput) end
   local g, r = k.plain(gradOutput), k.like(self.gradInput, input)
   y = k.plain(y)
   run(k, count, n, step, $logarithm, y, g, r)
   k.alive(y, g, r)
   return r
end

return updateOutput, updateGradInput
]]

return function(Class, _, _, name)
   local values = { logarithm = name:find 'Log' and 1 or 0, spatial = name:find 'Spatial' and 'true' or 'false' }
   Class.updateOutput, Class.updateGradInput = template.compile('nn.' .. name, source, values,
      { kernel = kernel, check = expect, extent = extent, run = run })
end
