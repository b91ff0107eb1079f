-- The program of a worker: takes parts of the jobs in a slot until the process ends.

local address, index = ...
local cast, floor, min, pcall, require = require('ffi').cast, math.floor, math.min, pcall, require
local string_of = require('ffi').string
local slot = require 'torch.worker.slot'
local FREE, TAKEN, DONE = slot.FREE, slot.TAKEN, slot.DONE

local s = cast(slot.pointer_ct, cast('intptr_t', address))
-- Turns of the waiting loop before it sleeps, some 0.5 to 1 ms.
local PATIENCE = 80000

-- The functions of the kinds of parts by their ids; false where the module cannot be loaded here.
local functions = {}
local path = package.path

local function load(kind)
   package.path = path .. ';' .. string_of(kind.path)
   local fine, module = pcall(require, string_of(kind.module))
   functions[kind.id] = fine and module[string_of(kind.name)] or false
   return functions[kind.id]
end

-- Runs part k, which is taken, or gives it back when its kind is not known here; whether it was run.
local function run(k)
   local f = functions[s.kind.id]
   if f == nil then f = load(s.kind) end
   if not f then
      s.state[k] = FREE
      slot.open(s, k)
      return false
   end
   local size = s.size
   local from = k * size
   if not pcall(f, s.data, from, min(from + size, s.count)) then s.failed = 1 end
   s.state[k] = DONE
   return true
end

-- Takes parts from this worker's share on, and then those that others have not got to.
local function work()
   local active, parts = s.active, s.parts
   local first = floor(parts * index / active)
   for i = 0, parts - 1 do
      local k = first + i < parts and first + i or first + i - parts
      if s.state[k] == FREE and slot.take(s, k) then
         s.state[k] = TAKEN
         if not run(k) then return end
      end
   end
end

local last = 0
while true do
   local turns = 0
   while s.seq == last do
      slot.wait(turns)
      turns = turns + 1
      if turns > PATIENCE then
         slot.sleep(s, index, last)
         turns = 0
      end
   end
   last = s.seq
   if index < s.active then work() else slot.sleep(s, index, last) end
end
