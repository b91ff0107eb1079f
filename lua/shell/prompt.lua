-- The prompt: runs inputs, shows their values and explains their errors.

local insert = table.insert
local find, format, gsub, match = string.find, string.format, string.gsub, string.match
local pcall, processor_clock = pcall, os.clock
local loader, loadstring = require 'torch.jit.loader', require('torch.language.compile').load
local last_error, help = require 'shell.last_error', require 'shell.help'
local dialect, baseline = require 'torch.base.dialect', require 'shell.baseline'
local evaluate, result_display = require 'shell.evaluate', require 'shell.result_display'
local interruption = require 'torch.utility.interruption'
local pretty, sources = require 'shell.pretty', require 'shell.sources'
local output, user_variables = require 'shell.output', require 'shell.user_variables'
local flush_stdin, host = require 'shell.flush_stdin', require 'torch.native.host'
local wall_clock = require('sys').clock
local globals, write = _G, io.write

local prompt = {
   show = result_display.show, keep = user_variables.keep, keep_output = user_variables.keep_output,
   names = user_variables.names, who = user_variables.who, reset = user_variables.reset,
   free_memory = user_variables.free_memory,
}

local NO_MEMORY = 'not enough memory'

local REQUIRES = "^%s*require%s*%(?%s*['\"]([%w_.-]+)['\"]%s*%)?%s*$"      -- an input, and its package

local given = baseline.globals

local end_input     -- runs the work that packages defer to the end of an input, such as showing its plots

-- th's globals are not the user's; its `who` prints the variables, as %who does.
local function take_th_globals()
   if dialect.name ~= 'th' then return end
   for _, key in next, pretty.globals do given[key] = rawget(globals, key) end
   if type(rawget(globals, 'who')) == 'nil' then
      given.who = function() write(prompt.who(), '\n') end
      rawset(globals, 'who', given.who)
   end
end
dialect.watch(take_th_globals)

-- Starts the prompt: defines `help` and keeps the variables of errors. `show_help` takes a record of help.lua, or nil;
-- `at_end` is called when an input has ended and its packages have functions in Python.
function prompt.begin(show_help, at_end)
   end_input = at_end
   if type(rawget(globals, 'help')) == 'nil' then
      given.help = function(...) show_help((help.of_value((...)))) end
      rawset(globals, 'help', given.help)
   end
   given.arg = rawget(globals, 'arg')
   take_th_globals()
   interruption.install()
   last_error.keep = true
end

prompt.skip_to = sources.skip_to

-- Records an input that is about to run, and returns its number; nil if a file runs.
function prompt.enter(text)
   loader.forget_failed()
   last_error.input, last_error.failing = text, {}
   output.begin_input()
   return text and sources.remember(text)
end

-- Explains the error of an input: a hint, and the line of code with the column of the error.
local function explain(record)
   local is_syntax = record.status ~= 'error'
   record.hint = last_error.hint(record.message, is_syntax)
   record.line = { last_error.line(record.message, is_syntax) }
end

-- Ends an input: drops unread input, and flushes output to the operating system. Returns the names of the user's
-- variables.
function prompt.settle()
   flush_stdin()
   output.flush()
   return (prompt.names())
end

-- Processes an input: records it, runs it, shows its values if wanted, and explains an error. The prompt calls it once
-- per input. `code` runs instead of the text if given.
--
-- Returns a record of evaluate.lua with additional fields: the `number` of the input; the seconds it `took`, and `used`
-- of the processor; `hint` and `line` of last_error.lua; `names` of the user's variables, nil without `settle`.
function prompt.run(text, code, shows)
   local number = prompt.enter(text)
   local start, used = wall_clock(), processor_clock()
   local record = evaluate.input(code or text, format('=[%d]', number))
   local took = wall_clock() - start
   used = processor_clock() - used
   -- Python holds plots, and asking it costs as much as a small input.
   if host.packages_used then end_input() end
   local values = record.values
   local name = dialect.name ~= 'th' and match(text, REQUIRES)
   if name and values and values.n == 1 and not record.silent and result_display.package(name, values[1]) then
      record.values = nil
   elseif values and values.n > 0 and not record.silent then
      local shown = shows and evaluate.apply(prompt.show, record) or record
      if shown.status ~= 'ok' then
         record = shown
      elseif values.n == 1 and type(values[1]) == 'nil' then
         record.hint = last_error.hint_for_nil(text) or last_error.hint_for_field(text)
      elseif values.n == 1 then
         record.hint = last_error.hint_for_field(text, values[1])
      end
   end
   if record.status == 'ok' and find(text, '[\194\226]') then
      record.hint = record.hint or last_error.hint_for_typography(text)
   end
   record.number, record.took, record.used = number, took, used
   -- Python explains its own exceptions, and frees memory before it explains an out-of-memory error.
   local explained = type(record.object) ~= 'userdata' and not find(record.message or '', NO_MEMORY, 1, true)
   if record.status ~= 'ok' and explained then pcall(explain, record) end
   if shows then record.values = nil end
   local settled, names = pcall(prompt.settle)
   record.names = settled and names or nil
   return record
end

-- Tells whether a global variable has a value.
function prompt.has(name)
   return type(rawget(globals, name)) ~= 'nil'
end

-- Tells whether `help` is the prompt's.
function prompt.has_help()
   return rawequal(rawget(globals, 'help'), given.help)
end

-- The inputs with their numbers; only the last `count` ones if it is given.
function prompt.history(count)
   local texts, lines = sources.inputs(), {}
   for i = math.max(1, #texts - (count or #texts) + 1), #texts do
      if texts[i] ~= '' then
         insert(lines, format('%5s  %s', '[' .. i .. ']', (gsub(texts[i], '\n', '\n       '))))
      end
   end
   return table.concat(lines, '\n')
end

-- Returns the name of the dialect, or changes it.
function prompt.dialect(name)
   if name then dialect.set(name) end
   return dialect.name
end

-- Returns or sets the global `arg`.
function prompt.arguments(...)
   if select('#', ...) == 0 then return rawget(globals, 'arg') end
   rawset(globals, 'arg', (...))
end

-- Compiles an input under its number, as it would run. Raises the message of invalid source.
function prompt.compile(text, number)
   local run, message = evaluate.compiled(text, format('=[%d]', number))
   if not run then error(message, 0) end
   return run
end

-- Turns an input into statements: the prompt accepts an expression where a program does not.
local function as_statements(text)
   if loadstring(text) then return text end
   local head, tail = '', gsub(text, '^%s*=', '')
   if not loadstring('return ' .. tail) then head, tail = evaluate.divide(text, '[;\n]') end
   if not head then return (string.sub(gsub('\n' .. text, '\n', '\n-- '), 2)) end
   tail = match(match(tail, '^(.*[^;%s])') or '', '^%s*(.*)')
   return format('%sprint(%s%s)', head, tail, string.find(tail, '--', 1, true) and '\n' or '')
end

-- Returns the inputs of the session, one after the other, as a program.
function prompt.inputs()
   local texts = {}
   for i, text in ipairs(sources.inputs()) do texts[i] = as_statements(text) end
   return table.concat(texts, '\n')
end

return prompt
