-- Records the compiler's traces: the address of their machine code, which of them are loops of programs, and at which
-- exit of which trace a side trace begins. Python uses it to break compiled loops, see
-- t7shell/engine/compiled_loops.py.

local util = require 'jit.util'
local ffi, address_of = require 'ffi', require('torch.native.native').address_of
local compiler, is_library = require 'torch.loops.compiler', require('torch.base.errors').is_library
local off = jit.off
local traceinfo, tracemc, traceexitstub = util.traceinfo, util.tracemc, util.traceexitstub

local MAX_TRACES, MAX_EXITS = 8192, 512
-- Kinds of traces: loops branch to themselves, others continue elsewhere.
local LOOPS = { loop = true, ['tail-recursion'] = true }

local traces = ffi.new([[struct {
   double count, exits, flushes, stubs[?];
}]], MAX_EXITS)
local rows = ffi.new('struct { double address, size, loop, is_loop, parent, exit; }[?]', MAX_TRACES)

local parent, exit, library = 0, 0, false

local function add(number)
   local code, address, loop = tracemc(number)
   local info = traceinfo(number)
   if not code or number >= MAX_TRACES then return end
   local row = rows[number]
   row.address, row.size, row.loop = address, #code, loop
   row.is_loop, row.parent, row.exit = LOOPS[info.linktype] and not library and 1 or 0, parent, exit
   if number >= traces.count then traces.count = number + 1 end
   for i = tonumber(traces.exits), info.nexit - 1 do
      if i >= MAX_EXITS then break end
      traces.stubs[i], traces.exits = traceexitstub(i), i + 1
   end
end

local function event(what, number, f, _, other, number_of_exit)
   if what == 'start' then
      parent, exit, library = other or 0, number_of_exit or 0, is_library(debug.getinfo(f, 'S').source)
   elseif what == 'stop' then
      add(number)
   elseif what == 'flush' then
      -- Their code is gone, and the stubs of their exits with it.
      ffi.fill(rows, ffi.sizeof(rows))
      traces.count, traces.exits, traces.flushes = 0, 0, traces.flushes + 1
   end
end
off(event)
off(add)

-- Begins to record traces. Returns the addresses of the records, and the object that keeps them alive.
return function()
   compiler.listen(event)
   return address_of(ffi.cast('void *', traces)),
      address_of(ffi.cast('void *', rows)), MAX_EXITS, { traces, rows, event }
end
