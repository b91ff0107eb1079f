-- Lists of indices, which count from 1: their checks, and the loops over them.

local require, tonumber = require, tonumber
local ffi = require 'ffi'
local element, errors = require 'torch.base.element', require 'torch.base.errors'
local geometry, types = require 'torch.base.geometry', require 'torch.base.types'
local libc, kernels = require 'torch.native.libc', require 'torch.native.kernels' 'reduce/extremes'
local finish_trace = require('torch.jit.trace').finish
local template, unroll = require 'torch.jit.template', require 'torch.jit.unroll'
local count_of, shape = geometry.count, geometry.shape
local Long = types.by_name.Long

-- FEW: up to this many indices need no loop.
local index_loops = { FEW = 31 }

local check_loop = [[
return function(indices, count, size)
   for k = 0, count - 1 do
      local i = indices[k]
      if i < 1 or i > size then return tonumber(i) end
   end
end]]

-- The loops over indices are compiled for each operation and type.
function index_loops.compile(name, source, T)
   local bits, settle = element.mover(T)
   return template.compile(name, source, nil,
      { tonumber = tonumber, int64 = ffi.typeof 'int64_t', finish_trace = finish_trace, C = libc, bits = bits,
         settle = settle })
end

local first_wrong = index_loops.compile('indices', check_loop, Long)

-- Tells whether all of `count` >= 1 indices are valid for a dimension of `size`.
function index_loops.are_indices(indices, count, size)
   return kernels.t7_extreme_all(Long.index, 0, indices, count) >= 1
      and kernels.t7_extreme_all(Long.index, 1, indices, count) <= size
end

-- Raises unless all of the contiguous `list` are indices of dimension d of t.
function index_loops.check(name, t, d, list)
   local count = count_of(list)
   if count == 0 or index_loops.are_indices(list._memory._data + list._offset, count, t._size[d]) then return end
   finish_trace()
   local wrong = first_wrong(list._memory._data + list._offset, count_of(list), t._size[d])
   if wrong then
      errors.raise('%s: index %.0f out of range 1 to %.0f of dimension %.0f of tensor [%s]', name, wrong, t._size[d],
         d + 1, shape(t))
   end
end

-- Source of a function of the parameters and a count that runs a statement for k from 0, unrolled for few.
function index_loops.short_loop(parameters, statement, from)
   local turn = statement:gsub('%f[%w]k%f[%W]', '(start + %%d)')
   return template.fill('short loop', [[
local function long(${parameters}, count)
   finish_trace()
   for k = 0, count - 1 do ${statement} end
end
return function(${parameters}, count)
   to, ${from} = bits(to), bits(${from})
   if count > 31 then
      long(${parameters}, count)
   else
      local start = 0
      ${turns}
   end
   settle(to)
end]], { from = from, parameters = parameters, statement = statement,
      turns = unroll.chunks(16, 'count', turn, 'start = start + %d') })
end

-- to[k] = the element of `from` at indices[k] along a dimension; `step` moves the others.
index_loops.gather_loop = index_loops.short_loop('to, from, step, indices, stride',
   'to[k] = from[k * step + (tonumber(indices[k]) - 1) * stride]', 'from')

return index_loops
