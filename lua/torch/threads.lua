-- How many threads large work may use: the worker of parallel.lua and the threads of BLAS.

local ffi = require 'ffi'
local errors, host, parallel = require 'torch.errors', require 'torch.host', require 'torch.parallel'

local threads = {}

-- The C function that sets the threads of BLAS, false where there is none, and the number it is set to.
local setter, count

local function load()
   local address
   address, count = host.blas_setter()
   setter = address ~= 0 and ffi.cast('void (*)(int)', ffi.cast('intptr_t', address))
end

-- From here to `restore` BLAS uses one thread. On work of less than some milliseconds a second one gains little, and
-- costs many times the work when the other core is busy.
function threads.single()
   if setter == nil then load() end
   if setter and count > 1 then setter(1) end
end

function threads.restore()
   if setter and count > 1 then setter(count) end
end

function threads.set(number)
   parallel.set(number)
   host.set_blas_threads(number)
   if setter ~= nil then load() end
end

function threads.install(torch)
   function torch.setnumthreads(number)
      local wanted = errors.integer('setnumthreads', 1, number)
      if wanted < 1 then errors.argument('setnumthreads', 1, 'number of at least 1 expected, got %.0f', wanted) end
      threads.set(wanted)
   end

   function torch.getnumthreads() return parallel.get() end

   function torch.getnumcores() return host.core_count() end
end

return threads
