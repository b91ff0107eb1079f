-- The program of a worker: runs the chunks of jobs in a slot until the process ends.

local address, index = ...
local cast, floor, min, pcall, require = require('ffi').cast, math.floor, math.min, pcall, require
local string_of = require('ffi').string
local job = require 'torch.parallel.job'
local FREE, TAKEN, DONE = job.FREE, job.TAKEN, job.DONE

local s = cast(job.pointer_ct, cast('intptr_t', address))
-- Iterations of the wait loop before it sleeps, about 0.5 to 1 ms.
local PATIENCE = 80000

-- The functions of the kinds of chunks by their ids; false if the module cannot be loaded here.
local functions = {}
local path = package.path

local function load(kind)
   package.path = path .. ';' .. string_of(kind.path)
   local fine, module = pcall(require, string_of(kind.module))
   functions[kind.id] = fine and module[string_of(kind.name)] or false
   return functions[kind.id]
end

-- Runs the claimed chunk k, or hands it back if its kind is unknown here; returns whether it was run.
local function run(k)
   local f = functions[s.kind.id]
   if f == nil then f = load(s.kind) end
   if not f then
      s.state[k] = FREE
      job.open(s, k)
      return false
   end
   local size = s.size
   local from = k * size
   if not pcall(f, s.data, from, min(from + size, s.count)) then s.failed = 1 end
   s.state[k] = DONE
   return true
end

-- Claims chunks from this worker's share on, and then those that nobody else has claimed.
local function work()
   local active, parts = s.active, s.parts
   local first = floor(parts * index / active)
   for i = 0, parts - 1 do
      local k = first + i < parts and first + i or first + i - parts
      if s.state[k] == FREE and job.take(s, k) then
         s.state[k] = TAKEN
         if not run(k) then return end
      end
   end
end

local last = 0
while true do
   local turns = 0
   while s.seq == last do
      job.wait(turns)
      turns = turns + 1
      if turns > PATIENCE then
         job.sleep(s, index, last)
         turns = 0
      end
   end
   last = s.seq
   if index < s.active then work() else job.sleep(s, index, last) end
end
