-- nn.SoftMax, nn.LogSoftMax and their spatial forms: along a vector, the rows of a matrix, or the planes of
-- pictures.

local ipairs, next = ipairs, next
local ceil, exp, huge, max, min = math.ceil, math.exp, math.huge, math.max, math.min
local ffi = require 'ffi'
local load, native = require('torch.jit.loader').load, require 'torch.native.native'
local parallel_for = require 'torch.parallel.parallel_for'
local expect, kernel, template = require 'nn.expect', require 'nn.kernel', require 'torch.jit.template'
local fused, softmax_chunks = require 'torch.kernels.elementwise.fused', require 'nn.kernels.softmax_chunks'
local doubles = require 'nn.kernels.kernel_scratch' { c = 'double' }
local BLOCK = softmax_chunks.BLOCK
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
   local function add(name, ufunc, ...)
      g[name].fn, g[name].data = native.raw_loop(ufunc, ...)
      possible, loops[name] = possible and g[name].fn ~= nil, native.loop_alone(ufunc, ...)
   end
   for _, name in ipairs(softmax_chunks.binary) do add(name, name, T, T, T) end
   add('exp', 'exp', T, T)
   add('log', 'log', T, T)
   g.type, g.dot = T.index, native.routine('blas', T, 'dot')
   for name, row in next, softmax_chunks.programs do
      g[name].fn = fused.find(T, row[1])
   end
   g.exp.fn = fused.find(T, 'z = exp(x)')
   structs[k] = g
   without_pointers[k] = not possible and load 'nn.kernels.softmax_kernels'(T, loops, BLOCK) or nil
   return g
end

-- The totals and the largest elements of rows, from those of their pieces.
local function join(g, count, pieces)
   for row = 0, count - 1 do
      local top, total = -huge, 0
      if g.back == 0 then
         for k = row * pieces, row * pieces + pieces - 1 do top = max(top, g.tops[k]) end
      end
      for k = row * pieces, row * pieces + pieces - 1 do
         total = total + (g.back == 0 and g.totals[k] * exp(g.tops[k] - top) or g.totals[k])
      end
      g.rows[2 * row], g.rows[2 * row + 1] = total, top
   end
end

local function run(k, count, n, step, logarithm, x, go, r)
   local g = structs[k] or make(k)
   local alone = without_pointers[k]
   g.n, g.step, g.logarithm, g.back = n, step, logarithm, go and 1 or 0
   g.x, g.go, g.r = cast(byte_p, k.ptr(x)), go and cast(byte_p, k.ptr(go)) or nil, cast(byte_p, k.ptr(r))
   g.width = min(step, WIDTH)
   local work = count * (CALLS + n * step * k.SIZE * BYTE)
   if step > 1 or n <= BLOCK then
      local parts = count * ceil(step / WIDTH)
      if alone then return alone(g, 0, parts) end
      return share(parts, 1, work, g)
   end
   local pieces = ceil(n / BLOCK)
   local parts = count * pieces
   g.tops = doubles(2 * (parts + count))
   g.totals, g.rows = g.tops + parts, g.tops + 2 * parts
   for last = 0, 1 do
      g.last = last
      if last == 1 then join(g, count, pieces) end
      if alone then alone(g, 0, parts) else share(parts, 1, work / 2, g) end
   end
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
