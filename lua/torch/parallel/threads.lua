-- The number of threads of parallel_for.lua. BLAS itself always uses one thread, see t7shell/host/native.py.

local errors, host = require 'torch.base.errors', require 'torch.native.host'
local parallel_for = require 'torch.parallel.parallel_for'

local threads = {}

-- Largest number of threads: a C int of any library holds it, and no machine has as many.
local MOST = 32767

function threads.install(torch)
   function torch.setnumthreads(number)
      local wanted = errors.integer('setnumthreads', 1, number)
      if wanted < 1 or wanted > MOST then
         errors.argument('setnumthreads', 1, 'must be a number from 1 to %.0f (got %.0f)', MOST, wanted)
      end
      parallel_for.set_threads(wanted)
   end

   function torch.getnumthreads() return parallel_for.threads() end

   function torch.getnumcores() return host.core_count() end
end

return threads
