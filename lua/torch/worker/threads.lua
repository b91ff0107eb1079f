-- How many threads large work may use: the worker of parallel.lua and the threads of BLAS.

local log, require = math.log, require
local ffi = require 'ffi'
local errors, host, parallel = require 'torch.core.errors', require 'torch.core.host', require 'torch.worker.share'

local threads = {}

-- The C function that sets the threads of BLAS, false where there is none, and the number it is set to.
local setter, count

local clock

local function load()
   local address
   address, count = host.blas_setter()
   setter = address ~= 0 and ffi.cast('void (*)(int)', ffi.cast('intptr_t', address))
   clock = require('torch.lib.timer').real
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

-- Larger work is divided as long as that pays: threads of BLAS wait for each other, and when other programs keep the
-- cores busy they wait long. A gate watches one kind of work, for each power of two of its amount: `rate` is the best
-- that one thread did, in work per second, and `alone` how many calls to come are left to one thread.
local PATIENCE, PAUSE = 1.2, 30
local gate_ct = ffi.typeof 'struct { double rate[64], alone[64], started; int32_t size; }'

function threads.new_gate()
   local gate = gate_ct()
   for size = 0, 63 do gate.alone[size] = 1 end
   return gate
end

-- Before work of an amount that BLAS may divide, and after it.
function threads.begin(gate, work)
   if setter == nil then load() end
   if not setter or count == 1 then return end
   gate.size = log(work) / log(2)
   if gate.alone[gate.size] > 0 then setter(1) end
   gate.started = clock()
end

function threads.finish(gate, work)
   if not setter or count == 1 then return end
   local spent, size = clock() - gate.started, gate.size
   if gate.alone[size] > 0 then
      setter(count)
      gate.alone[size] = gate.alone[size] - 1
      if work > gate.rate[size] * spent then gate.rate[size] = work / spent end
   elseif spent * gate.rate[size] > work * PATIENCE then
      gate.alone[size] = PAUSE
   end
end

function threads.set(number)
   parallel.set(number)
   host.set_blas_threads(number)
   if setter ~= nil then load() end
end

-- What a C int of any library holds, and more than any machine has.
local MOST = 32767

function threads.install(torch)
   function torch.setnumthreads(number)
      local wanted = errors.integer('setnumthreads', 1, number)
      if wanted < 1 or wanted > MOST then
         errors.argument('setnumthreads', 1, 'number from 1 to %.0f expected, got %.0f', MOST, wanted)
      end
      threads.set(wanted)
   end

   function torch.getnumthreads() return parallel.get() end

   function torch.getnumcores() return host.core_count() end
end

return threads
