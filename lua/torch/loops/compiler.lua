-- Limits of the JIT compiler, and rules that it lacks: a loop body with tensors fits one trace only if traces may be
-- long. The compiler reports traces to a single function, which calls the listeners. See
-- docs/decisions/0016-programs.md.

local jit, util = require 'jit', require 'jit.util'
local errors = require 'torch.base.errors'
local is_library = errors.is_library
local getinfo, next = debug.getinfo, next
local funcinfo, off, set = util.funcinfo, jit.off, jit.opt.start

local compiler = {}

local MAX_RECORD = 'maxrecord=16000'
set(MAX_RECORD, 'maxirconst=4000', 'maxsnap=510', 'maxside=300', 'maxtrace=4000', 'maxmcode=8192', 'loopunroll=60')

local listeners = {}

function compiler.listen(f) listeners[f] = true end

function compiler.forget(f) listeners[f] = nil end

-- Rule 1. A trace that was aborted after much work is not recompiled: its recording is limited to one instruction. A
-- trace is attempted four times for an exit, ten times for a loop. By the second attempt inner loops may be compiled.
local TOO_LONG, TOO_MANY_EXITS, TOO_MANY_TURNS, TOO_MANY_VALUES = 2, 4, 10, 30
local NOTHING = 'maxrecord=1'
local hopeless, refused = {}, false
local WORK = { [TOO_LONG] = 2, [TOO_MANY_EXITS] = 2, [TOO_MANY_TURNS] = 1, [TOO_MANY_VALUES] = 2 }

local function reject()
   refused = true
   set(NOTHING)
end

-- Rule 2. A loop is compiled twice, once for its invariants. One with too many exits or values for that would be
-- aborted after all the work, ten times, and never run compiled: the next time it is compiled once.
local failures, once = {}, false

local function compile_once(want)
   if want == once then return end
   once = want
   set(want and '-loop' or '+loop')
end

-- Rule 3. A trace after a call that ended another one may reach that call again in the next iteration of a loop that
-- is not compiled yet, and so on: a trace for each iteration, and the loop never gets hot. After MAX_TRACES traces from
-- one line, each started by the one before, the line is not recorded again: the interpreter runs and compiles the loop.
local MAX_TRACES, MAX_DISTANCE = 3, 64
local parents, lines = {}, {}

local function program_line()
   local level = 4
   while true do
      local info = getinfo(level, 'Sl')
      if not info then return '' end
      if info.currentline > 0 and not is_library(info.source) then return info.source .. ':' .. info.currentline end
      level = level + 1
   end
end

local function repeats(trace, line)
   local count = 0
   for _ = 1, MAX_DISTANCE do
      if not trace then break end
      if lines[trace] == line then count = count + 1 end
      trace = parents[trace]
   end
   return count >= MAX_TRACES
end

local began, parent, side, line = '', nil, nil, nil

local function follow(what, trace, f, pc, other, exit)
   if what == 'start' then
      began, parent, side, line = funcinfo(f, pc).loc, other, exit, nil
      local failed = not other and failures[began]
      compile_once(failed == 1)
      if failed and failed > 1 then
         reject()
      elseif exit == -1 then
         line = program_line()
         if repeats(other, line) then reject() end
      elseif other and hopeless[other] and (hopeless[other][exit] or 0) >= 2 then
         reject()
      end
   elseif what == 'stop' then
      parents[trace], lines[trace], hopeless[trace] = parent, line, nil
   elseif what == 'abort' then
      if refused then
         refused = false
         set(MAX_RECORD)
      elseif parent and WORK[other] then
         local exits = hopeless[parent] or {}
         hopeless[parent] = exits
         exits[side] = (exits[side] or 0) + WORK[other]
      elseif WORK[other] and other ~= TOO_MANY_TURNS then
         failures[began] = (failures[began] or 0) + 1
      end
   elseif what == 'flush' then
      parents, lines, hopeless, failures = {}, {}, {}, {}
   end
end

-- The reason of a refusal, for listeners.
compiler.REFUSED = -1

function compiler.event(what, trace, f, pc, other, exit)
   local reason = what == 'abort' and refused and compiler.REFUSED or other
   follow(what, trace, f, pc, other, exit)
   other = reason
   for listener in next, listeners do listener(what, trace, f, pc, other, exit) end
end

for _, f in next, { compile_once, compiler.event, follow, program_line, reject, repeats } do off(f) end
local attach = jit.attach
attach(compiler.event, 'trace')

-- LuaJIT calls one function for each kind of event: that of the program for traces is called after the rules.
local of_program

function jit.attach(f, event)
   if type(f) ~= 'function' then errors.argument_error('jit.attach', 1, 'a function', f) end
   if event == 'trace' then
      if of_program then compiler.forget(of_program) end
      of_program = f
      compiler.listen(f)
      return
   end
   if event == nil and f == of_program then
      compiler.forget(f)
      of_program = nil
   end
   attach(f, event)
end

return compiler
