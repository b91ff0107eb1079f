-- Reports how a program was compiled: which of its loops and functions are compiled, and where and why traces were
-- aborted.

local off, util = jit.off, require 'jit.util'
local concat, format = table.concat, string.format
local getinfo = debug.getinfo
local compiler, is_library = require 'torch.loops.compiler', require('torch.base.errors').is_library
local sys = require 'sys'

local trace_report = {}

-- Reasons by the compiler's numbers.
local reasons = {
   [0] = 'an error was raised, or a debug hook ran', [2] = 'too many instructions', [3] = 'calls nested too deeply',
   [4] = 'too many exits', [5] = 'runs into code that was given up before', [6] = 'tried again at once',
   [7] = 'an instruction that is not compiled, such as the making of a function',
   [8] = 'the loop ended in its first turn',
   [9] = 'runs into another loop', [10] = 'too many turns of inner loops, or tail calls',
   [11] = 'an argument that the function cannot be compiled for', [12] = 'a function that is not to be compiled',
   [13] = 'recursion', [14] = 'returns more often than it calls', [15] = 'a function that is not compiled',
   [16] = 'returns to a function of any number of arguments', [24] = 'a condition that never holds again',
   [26] = 'types that change from turn to turn', [29] = 'no room for machine code, tried again',
   [30] = 'too many values alive at once', [compiler.REFUSED] = 'not tried again',
}

local SECOND, MAX_ROWS = 1, 20
local began, made, own, given_up, late, rows, start

local function line_of(f, pc) return util.funcinfo(f, pc).loc or 'a C function' end

-- The row for a trace of the program's `own` code that begins at `where`, or for a reason of aborts.
local function count(list, key, text)
   local row = list[key]
   if not row then
      row = { text = text, times = 0 }
      list[key], list[#list + 1] = row, row
   end
   row.times = row.times + 1
   return row
end

local function event(what, trace, f, pc, other, exit)
   if what == 'start' then
      began[trace] = { where = line_of(f, pc), own = not other and not is_library(getinfo(f, 'S').source), exit = exit }
   elseif what == 'stop' then
      made = made + 1
      if began[trace].own then
         local row = count(own, began[trace].where, began[trace].where)
         -- Otherwise it only returns to the interpreter.
         row.compiled = row.compiled or util.traceinfo(trace).linktype ~= 'interpreter'
      end
   elseif what == 'abort' then
      given_up = given_up + 1
      if sys.clock() - start > SECOND then late = late + 1 end
      local from, at = began[trace], line_of(f, pc)
      local why = reasons[other] or format('reason %s', tostring(other))
      if from.own then
         local row = count(own, from.where, from.where)
         row.given_up = (row.given_up or 0) + 1
      end
      count(rows, concat({ from.where, at, why }, '\0'), format('%s, begun at %s: %s', at, from.where, why))
   end
end
off(event)
off(count)
off(line_of)

-- Begins to watch.
function trace_report.start()
   began, own, rows = {}, {}, {}
   made, given_up, late, start = 0, 0, 0, sys.clock()
   compiler.listen(event)
end

-- Ends it. Returns a text, and the numbers of traces made, aborted, and aborted after the first second.
function trace_report.stop()
   compiler.forget(event)
   local lines = { format('traces: %d compiled, %d given up, %d of them after the first second', made, given_up, late) }
   for _, row in ipairs(own) do
      lines[#lines + 1] = format('  %s: %s', row.text, row.compiled and 'compiled'
         or format('not compiled, given up %d times', row.given_up or 0))
   end
   table.sort(rows, function(a, b)
      if a.times ~= b.times then return a.times > b.times end
      return a.text < b.text
   end)
   if next(rows) then lines[#lines + 1] = 'given up, how often and where:' end
   for i = 1, #rows do
      if i > MAX_ROWS then
         lines[#lines + 1] = format('  ... and %d other places', #rows - MAX_ROWS)
         break
      end
      lines[#lines + 1] = format('%5d  %s', rows[i].times, rows[i].text)
   end
   return concat(lines, '\n'), made, given_up, late
end

return trace_report
