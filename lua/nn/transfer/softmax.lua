-- nn.SoftMax, nn.LogSoftMax and their spatial forms: along a vector, the rows of a matrix, or the planes of
-- pictures.

local huge, ipairs = math.huge, ipairs
local ffi = require 'ffi'
local load, native = require('torch.jit.loader').load, require 'torch.native.native'
local parallel_for, ufunc_loops = require 'torch.parallel.parallel_for', require 'torch.parallel.ufunc_loops'
local expect, kernel, template = require 'nn.expect', require 'nn.kernel', require 'torch.jit.template'
local softmax_chunks = require 'nn.kernels.softmax_chunks'
local cast = ffi.cast
local byte_p = ffi.typeof 'char *'

local share = parallel_for.kind('nn.kernels.softmax_chunks', 'run')

-- Nanoseconds for an element, and for the calls of a group.
local ELEMENT, CALLS = 2, 100

-- Fewer groups than this are not shared between cores, but the exp of each group is.
local FEW, LEAST = 4, parallel_for.LEAST

-- The struct of a type, and the function of little work and of few groups: all where loops have no pointers.
local structs, few = {}, {}

local function make(k)
   local T, g, loops = k.T, ffi.new 't7_nn_softmax', {}
   local possible = true
   local function add(name, ...)
      g[name].fn, g[name].data = native.raw_loop(name, ...)
      possible, loops[name] = possible and g[name].fn ~= nil, native.loop_alone(name, ...)
   end
   for _, name in ipairs(softmax_chunks.binary) do add(name, T, T, T) end
   for _, name in ipairs(softmax_chunks.unary) do add(name, T, T) end
   g.type, loops.exp = T.index, ufunc_loops.get('exp', T, T)
   structs[k], few[k] = g, { run = load 'nn.kernels.softmax_kernels'(T, loops), most = possible and FEW - 1 or huge }
   return g
end

local function run(k, count, n, step, logarithm, x, go, r)
   local g = structs[k] or make(k)
   g.n, g.step, g.logarithm, g.back = n, step, logarithm, go and 1 or 0
   g.x, g.go, g.r = cast(byte_p, k.ptr(x)), go and cast(byte_p, k.ptr(go)) or nil, cast(byte_p, k.ptr(r))
   local work = count * (CALLS + n * step * ELEMENT)
   if count <= few[k].most or work < LEAST then return few[k].run(g, 0, count) end
   share(count, 1, work, g)
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
