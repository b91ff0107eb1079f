-- The number of threads of kernels, see docs/decisions/0006-parallel-for.md. BLAS itself always uses one thread, see
-- t7shell/host/blas_threads.py.

local errors, host = require 'torch.base.errors', require 'torch.native.host'
local kernels = require 'torch.native.kernels'

local threads, set = {}, nil

-- Largest number of threads: a C int of any library holds it, and no machine has as many.
local MAX_THREADS = 32767

function threads.install(torch)
   function torch.setnumthreads(number)
      local wanted = errors.integer('setnumthreads', 1, number)
      if wanted < 1 or wanted > MAX_THREADS then
         errors.argument('setnumthreads', 1, 'must be a number from 1 to %.0f (got %.0f)', MAX_THREADS, wanted)
      end
      set = wanted
      kernels('parallel_for').t7_set_threads(wanted)
   end

   function torch.getnumthreads() return set or host.core_count() end

   function torch.getnumcores() return host.core_count() end
end

return threads
