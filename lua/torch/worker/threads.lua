-- How many threads large work may use: the states of share.lua. BLAS itself always uses one thread, see
-- t7shell/native.py.

local errors, host, share = require 'torch.core.errors', require 'torch.core.host', require 'torch.worker.share'

local threads = {}

-- Largest number of threads: a C int of any library holds it, and no machine has as many.
local MOST = 32767

function threads.install(torch)
   function torch.setnumthreads(number)
      local wanted = errors.integer('setnumthreads', 1, number)
      if wanted < 1 or wanted > MOST then
         errors.argument('setnumthreads', 1, 'number from 1 to %.0f expected, got %.0f', MOST, wanted)
      end
      share.set_threads(wanted)
   end

   function torch.getnumthreads() return share.threads() end

   function torch.getnumcores() return host.core_count() end
end

return threads
