-- Keeps the state of the prompt: the last results, the variables of the user; shows and shortens values.

local insert = table.insert
local find, format, gsub, match = string.find, string.format, string.gsub, string.match
local pcall, processor_clock = pcall, os.clock
local loadstring = require('torch.language.compile').load
local last_error, help = require 'shell.last_error', require 'shell.help'
local dialect, display = require 'torch.base.dialect', require 'shell.display'
local evaluate, baseline = require 'shell.evaluate', require 'shell.baseline'
local interruption = require 'torch.utility.interruption'
local pretty, sources, types = require 'shell.pretty', require 'shell.sources', require 'torch.base.types'
local output, torch = require 'shell.output', require 'torch'
local flush_stdin, host = require 'shell.flush_stdin', require 'torch.native.host'
local wall_clock = require('sys').clock
local globals, write = _G, io.write

local prompt = {}

local LARGE, TALL = 10000, 500      -- elements and lines from which on a tensor is shortened
local ROWS, COLUMNS, LINES = 12, 10, 1000
local LISTED = 20   -- lines from which on the table of a package is not listed when it is required
local KEPT = 3      -- results that are kept
local NO_MEMORY = 'not enough memory'

local REQUIRES = "^%s*require%s*%(?%s*['\"]([%w_.-]+)['\"]%s*%)?%s*$"      -- an input, and its package

local given, modules = baseline.globals, baseline.modules
local results = {}     -- values that we set, by name: those that the user has changed are left alone

local show_pictures     -- shows the plots of an input

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
-- `pictures` shows the plots that wait for the end of an input.
function prompt.begin(show_help, pictures)
   show_pictures = pictures
   if type(rawget(globals, 'help')) == 'nil' then
      given.help = function(...) show_help((help.of_value((...)))) end
      rawset(globals, 'help', given.help)
   end
   given.arg = rawget(globals, 'arg')
   take_th_globals()
   interruption.install()
   last_error.keep = true
end

-- Records an input that is about to run, and returns its number; nil if a file runs.
function prompt.enter(text)
   last_error.input, last_error.failing = text, {}
   output.begin_input()
   return text and sources.remember(text)
end

local function set(name, value)
   if not rawequal(rawget(globals, name), results[name]) then return end
   results[name] = value
   rawset(globals, name, value)
end

-- Stores a result as _ and _1, and earlier ones as _2 and _3.
function prompt.keep(value)
   for i = KEPT, 2, -1 do set('_' .. i, results['_' .. i - 1]) end
   set('_1', value)
   set('_', value)
   if dialect.name == 'th' then set('_LAST', value) end
end

-- Stores the output of a system command, as `th` did.
function prompt.keep_output(text)
   if dialect.name == 'th' then set('_LAST', text) end
end

-- Returns the name under which a result is stored; nil if the user has assigned these names.
local function name_of(value)
   for _, name in next, { '_', '_1' } do
      if rawequal(rawget(globals, name), value) then return name end
   end
end

-- Returns the text of a part of x, the last line of the text of x, and a line that says how much is shown.
local function first_of(x, part, footer, shown)
   local name = name_of(x)
   return format('%s%s(the first %s of its elements are shown%s)', match(tostring(part), '^(.*\n)%['), footer, shown,
      name and format('; print(%s) shows them all', name) or '')
end

-- Returns the first elements of a large tensor and a line that says so.
local function shorten(x)
   local part = x
   for d = 1, x:dim() do
      local most = d == x:dim() and x:dim() > 1 and COLUMNS or d >= x:dim() - 1 and ROWS or 2
      if x:size(d) > most then part = part:narrow(d, 1, most) end
   end
   return first_of(x, part, require('torch.tensor.tensor_text').footer(x), require('torch.base.geometry').shape(part))
end

local function shorten_storage(x)
   local full_name = types.of_storage(x).storage_name
   local part = torch[match(full_name, '%w+$')](x, 1, ROWS)
   return first_of(x, part, format('[%s of size %d]\n', full_name, #x), ROWS)
end

local function is_large(x)
   if not types.of_tensor(x) or x:dim() == 0 then return false end
   local count, last = x:nElement(), x:size(x:dim())
   return count > LARGE or (x:dim() == 1 and count or count / last) > TALL
end

local function user_names()
   local list = {}
   for key in next, globals do
      if type(key) == 'string' and type(given[key]) == 'nil' and type(results[key]) == 'nil' then
         insert(list, key)
      end
   end
   table.sort(list)
   return list
end

-- Shows the values of an input. Very large tensors and tables are shortened.
function prompt.show(...)
   local count = select('#', ...)
   output.begin_line()
   if type((...)) ~= 'nil' then prompt.keep((...)) end
   if count ~= 1 then return display(...) end
   local value = ...
   if is_large(value) then
      write(shorten(value), '\n')
   elseif types.of_storage(value) and #value > TALL then
      write(shorten_storage(value), '\n')
   elseif rawequal(value, globals) then
      write(format('the globals, %d of them yours (%%who lists these)\n', #user_names()))
   elseif type(value) == 'table' then
      write(pretty.block(value, LINES), '\n')
   else
      display(value)
   end
end

-- Describes the package that an input merely requires, instead of its table, if that is long; returns whether it did.
local function tell_package(name, value)
   local text = type(value) == 'table' and rawequal(value, package.loaded[name]) and pretty.block(value, LINES)
   local _, ends = gsub(text or '', '\n', '\n')
   if ends < LISTED then return false end
   output.begin_line()
   prompt.keep(value)
   local count, global = 0, rawequal(rawget(globals, name), value)
   for _ in next, value do count = count + 1 end
   write(format('package %s: %d names (%s)\n', name, count,
      global and format('?%s lists them', name)
         or format("local %s = require '%s' keeps it", match(name, '[%w_]+$'), name)))
   return true
end

-- Returns the names of the user's variables, in order, as one text, and their number.
function prompt.names()
   local list = user_names()
   return table.concat(list, ', '), #list
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
   if host.packages_used then show_pictures() end
   local values = record.values
   local name = dialect.name ~= 'th' and match(text, REQUIRES)
   if name and values and values.n == 1 and not record.silent and tell_package(name, values[1]) then
      record.values = nil
   elseif values and values.n > 0 and not record.silent then
      local shown = shows and evaluate.apply(prompt.show, record) or record
      if shown.status ~= 'ok' then
         record = shown
      elseif values.n == 1 and type(values[1]) == 'nil' then
         record.hint = last_error.hint_for_nil(text)
      end
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

-- Releases the objects that the prompt stores, and collects, after an out-of-memory error.
function prompt.free_memory()
   for i = 1, KEPT do set('_' .. i, nil) end
   set('_', nil)
   results, last_error.frames, last_error.failing = {}, {}, {}
   collectgarbage()
   collectgarbage()
end

-- The inputs with their numbers; of `count` the last ones.
function prompt.history(count)
   local texts, lines = sources.inputs(), {}
   for i = math.max(1, #texts - (count or #texts) + 1), #texts do
      insert(lines, format('%5s  %s', '[' .. i .. ']', (gsub(texts[i], '\n', '\n       '))))
   end
   return table.concat(lines, '\n')
end

-- Returns the text of %who: the user's variables with their values in short.
function prompt.who()
   local list = user_names()
   for i, key in next, list do list[i] = { key, rawget(globals, key) } end
   return last_error.variables(list, '')
end

-- Removes the user's variables and modules.
function prompt.reset()
   for _, key in next, user_names() do rawset(globals, key, nil) end
   for key in next, results do rawset(globals, key, nil) end
   for key, value in next, given do rawset(globals, key, value) end
   for key in next, package.loaded do
      if not modules[key] and not match(key, '^shell%.') and not match(key, '^torch%.') then
         package.loaded[key] = nil
      end
   end
   results, last_error.frames = {}, {}
   collectgarbage()
end

-- Says the name of the dialect, or changes it.
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
   if not head then return (gsub('\n' .. text, '\n', '\n-- '):sub(2)) end
   tail = match(gsub(tail, '[;%s]+$', ''), '^%s*(.*)')
   return format('%sprint(%s%s)', head, tail, string.find(tail, '--', 1, true) and '\n' or '')
end

-- Returns the inputs of the session, one after the other, as a program.
function prompt.inputs()
   local texts = {}
   for i, text in ipairs(sources.inputs()) do texts[i] = as_statements(text) end
   return table.concat(texts, '\n')
end

return prompt
