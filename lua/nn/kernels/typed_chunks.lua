-- Chunks for parallel_for with kernels per element type: parts(struct, make) handles calls described by a C struct with
-- a field `type`. Each state has separate kernels, made by make(T) on first use.

local ffi = require 'ffi'
local types = require 'torch.base.types'
local cast = ffi.cast

ffi.cdef 'typedef struct { void *fn, *data; } t7_nn_loop;'

return function(struct, make)
   local pointer_ct, made, parts = ffi.typeof(struct .. ' *'), {}, {}

   -- The kernels of the type of a number.
   function parts.kernels(index)
      made[index] = made[index] or make(types.rows[index])
      return made[index]
   end

   function parts.run(data, from, to)
      local g = cast(pointer_ct, data)
      parts.kernels(g.type).run(g, from, to)
   end

   return parts
end
