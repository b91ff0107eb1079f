-- The program of the worker state: takes jobs from the slot at an address until the process ends.

local address = ...
local ffi = require 'ffi'
local job = require 'torch.job'
local C, cast = ffi.C, ffi.cast
local pcall = pcall

local slot = cast(job.pointer_ct, cast('intptr_t', address))
-- Turns of the waiting loop before it sleeps; each is a system call of some 200 ns.
local PATIENCE = 1500

local last = 0
while true do
   local turns = 0
   -- The call in this loop also keeps LuaJIT from reading seq only once.
   while slot.seq == last do
      C.t7_sched_yield()
      turns = turns + 1
      if turns > PATIENCE then
         job.sleep(slot, last)
         turns = 0
      end
   end
   last = slot.seq
   slot.started = last
   -- The system call is a barrier between this store and the next load; see `finish` in parallel.lua.
   C.t7_sched_yield()
   if slot.cancelled >= last then
      slot.skipped = last
   elseif not pcall(job.run, slot) then
      slot.failed = 1
   end
   slot.done = last
end
