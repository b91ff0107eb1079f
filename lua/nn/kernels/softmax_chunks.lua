-- SoftMax and its logarithm as chunks for parallel_for: groups of one call.

local ipairs, next = ipairs, next
local ffi = require 'ffi'
local load, types = require('torch.jit.loader').load, require 'torch.base.types'
local loop_function = require 'torch.native.loop_function'
local cast = ffi.cast

require 'nn.kernels.typed_chunks'

-- Reads x, the input or, for gradients, the output, and the gradients; writes r. Groups of n values with stride `step`;
-- a group is `step` wide, and a chunk `width` of that. Pieces of long groups first store their maxima and sums in
-- `tops` and `totals`; the pass with `last` finishes them with the sum and the maximum of each group, in `rows`. dot
-- and programs may be null.
ffi.cdef [[
typedef struct {
   char *x, *go, *r; double *tops, *totals, *rows;
   t7_nn_loop add, subtract, multiply, divide, maximum, exp, log;
   t7_nn_loop exp_difference, difference, product_of_difference, rest; void *dot;
   double n, step, width; int32_t type, logarithm, back, last;
} t7_nn_softmax;
]]

local softmax_chunks = { BLOCK = 2048, unary = { 'exp', 'log' },
   binary = { 'add', 'subtract', 'multiply', 'divide', 'maximum' } }

-- Programs that save passes over a row, and their operands; a capital letter is one number per row.
softmax_chunks.programs = {
   exp_difference = { 'z = exp(x - y)', 'xY' },
   difference = { 'z = x - y - w', 'xYW' },
   product_of_difference = { 'z = x * (y - w)', 'xyW' },
   rest = { 'z = y - exp(x) * w', 'xyW' },
}

-- The sum of products of BLAS for an element type.
function softmax_chunks.dot_type(T)
   return ffi.typeof((('$ (*)(int *, $ *, int *, $ *, int *)'):gsub('%$', T.c)))
end

local pointer_ct, runs = ffi.typeof 't7_nn_softmax *', {}

local function make(g)
   local loops = {}
   local function add(names, inputs)
      for _, name in ipairs(names) do
         loops[name] = g[name].fn ~= nil and loop_function(name, g[name].fn, g[name].data, inputs) or nil
      end
   end
   add(softmax_chunks.unary, 1)
   add(softmax_chunks.binary, 2)
   for name, row in next, softmax_chunks.programs do add({ name }, #row[2]) end
   local T = types.rows[g.type]
   loops.dot = g.dot ~= nil and cast(softmax_chunks.dot_type(T), g.dot) or nil
   runs[g.type] = load 'nn.kernels.softmax_kernels'(T, loops, softmax_chunks.BLOCK)
   return runs[g.type]
end

function softmax_chunks.run(data, from, to)
   local g = cast(pointer_ct, data)
   local run = runs[g.type] or make(g)
   run(g, from, to)
end

return softmax_chunks
