-- Pooling as parts of shared work: planes of one call. Each state that works on them has kernels of its own.

local ffi = require 'ffi'
local loader, types = require 'torch.core.loader', require 'torch.core.types'
local cast = ffi.cast

require 'nn.pooling.plan'

-- `wrong` is set where an index is none.
ffi.cdef [[
typedef struct { t7_nn_windows *windows; char *x, *y, *index; void *dot; int32_t type, what, wrong; } t7_nn_pooling;
]]

local pointer_ct = ffi.typeof 't7_nn_pooling *'

local made = {}

local function kernels(index)
   if not made[index] then
      -- Loops of their own, too: what is compiled for one type is not for another.
      made[index] = loader.load 'nn.pooling.kernels'(types.rows[index], loader.load 'nn.pooling.loops'())
   end
   return made[index]
end

local parts = { kernels = kernels }

function parts.run(data, from, to)
   local g = cast(pointer_ct, data)
   kernels(g.type).run(g, from, to)
end

return parts
