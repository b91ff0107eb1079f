-- The program of the worker state: takes jobs from the slot at an address until the process ends.

local address = ...
local ffi = require 'ffi'
local job = require 'torch.worker.job'
local cast = ffi.cast
local pcall = pcall

local slot = cast(job.pointer_ct, cast('intptr_t', address))
-- Turns of the waiting loop before it sleeps, some 0.5 to 1 ms.
local PATIENCE = 80000

local last = 0
while true do
   local turns = 0
   while slot.seq == last do
      job.wait(turns)
      turns = turns + 1
      if turns > PATIENCE then
         job.sleep(slot, last)
         turns = 0
      end
   end
   last = slot.seq
   if job.take(slot) then
      slot.begun = 1
      if not pcall(job.run, slot) then slot.failed = 1 end
      slot.done = 1
   end
end
