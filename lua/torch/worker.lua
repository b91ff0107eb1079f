-- The program of the worker state: takes jobs from the slot at an address until the process ends.

local address = ...
local ffi = require 'ffi'
local job = require 'torch.job'
local C, cast = ffi.C, ffi.cast
local pcall, tonumber = pcall, tonumber

local slot = cast(job.pointer_ct, cast('intptr_t', address))
local loop_t = ffi.typeof 'void (*)(char **, const intptr_t *, const intptr_t *, void *)'
-- Turns of the waiting loop before it sleeps; each is a system call of some 200 ns.
local PATIENCE = 300

local element, types = require 'torch.element', require 'torch.types'

local function matrix()
   local T, S = types.rows[slot.types[0]], types.rows[slot.types[1]]
   element.matrix_loop(T, S)(cast(T.pointer_ct, slot.args[0]), tonumber(slot.steps[0]), tonumber(slot.steps[1]),
      cast(S.pointer_ct, slot.args[1]), tonumber(slot.steps[2]), tonumber(slot.steps[3]),
      tonumber(slot.dims[0]), tonumber(slot.dims[1]))
end

local function run()
   local kind = slot.kind
   if kind == job.LOOP then
      cast(loop_t, slot.fn)(slot.args, slot.dims, slot.steps, slot.data)
   elseif kind == job.COPY then
      C.t7_memmove(slot.args[0], slot.args[1], slot.dims[0])
   elseif kind == job.SPREAD then
      job.spread(slot.args[0], slot.args[1], tonumber(slot.dims[1]), tonumber(slot.dims[0]))
   else
      matrix()
   end
end

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
   if not pcall(run) then slot.failed = 1 end
   slot.done = last
end
