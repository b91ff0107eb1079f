-- SoftMax and its logarithm as parts of shared work: groups of one call.

local ipairs = ipairs
local ffi = require 'ffi'
local load, types = require('torch.jit.loader').load, require 'torch.base.types'
local loop_function = require 'torch.native.loop_function'
local cast = ffi.cast

require 'nn.kernels.batch_chunks'

-- From x, the input or for gradients the output, and gradients go to the result r: groups of n values that lie `step`
-- elements apart, each group as wide as its step; a part of the work is `width` of that. Pieces of long groups first
-- leave their largest elements and their totals in `tops` and `totals`; with `last` they are finished by the total and
-- the largest element of each group, in `rows`. dot and those that exponential.lua may go without may be null.
ffi.cdef [[
typedef struct {
   char *x, *go, *r; double *tops, *totals, *rows;
   t7_nn_loop add, subtract, multiply, divide, maximum, exp, exp2, log;
   t7_nn_loop add_bits, left_shift, maximum_signed, maximum_unsigned; void *dot;
   double n, step, width; int32_t type, logarithm, back, last;
} t7_nn_softmax;
]]

local softmax_chunks = { BLOCK = 2048, unary = { 'exp', 'exp2', 'log' },
   binary = { 'add', 'subtract', 'multiply', 'divide', 'maximum' },
   of_bits = { 'add_bits', 'left_shift', 'maximum_signed', 'maximum_unsigned' } }

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
   add(softmax_chunks.of_bits, 2)
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
