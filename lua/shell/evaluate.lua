-- Compiling and running one piece of source: a script, an example of a document or an input of the prompt.

local find, format, gsub, match, sub = string.find, string.format, string.gsub, string.match, string.sub
local getinfo, gethook, sethook = debug.getinfo, debug.gethook, require('torch.base.uninterruptible').sethook
local rawequal, select, type, unpack, xpcall = rawequal, select, type, unpack, xpcall
local loadstring = require('torch.language.compile').load
local last_error, heap_reserve = require 'shell.last_error', require 'shell.heap_reserve'
local sources = require 'shell.sources'
local traceback = require 'shell.traceback'

local evaluate = {}

local function is_incomplete(message)
   return find(message, "near '<eof>'$") ~= nil
end

-- Tells whether source with this message may be statements and an expression: nothing is open where it ends.
local function is_divisible(message)
   return not is_incomplete(message) or find(message, ": '=' expected near", 1, true) ~= nil
end

local function pack(...)
   return { n = select('#', ...), ... }
end

local function same(...)
   return ...
end

-- The bracket is on the line of the expression, since errors name the line of the last token. Source for which that is
-- wrong ends in a comment, which swallows the last two dashes.
local function compile_call(head, source, name)
   local function compiled(text) return loadstring(head .. 'return (...)(' .. text .. ')', name) end
   return compiled(source) or compiled((gsub(source, '^(.*)%-%-[^\n]*$', '%1'))) or compiled(source .. '\n')
end

-- An expression becomes the argument of a call of `same`, passed in as `...`: calls in it are then not tail calls, so
-- errors name the line, and an input that ends in `;` can be distinguished. `head` are whole statements before it.
local function compile_expression(head, source, name)
   local plain, message = loadstring(head .. 'return ' .. source .. '\n', name)
   if not plain then return nil, message end
   local called = compile_call(head, source, name)
   if called then return called, nil, false end
   local shorter = gsub(source, '[;%s]+$', '')
   return compile_call(head, shorter, name) or plain, nil, true
end

-- The maximum number of lines and semicolons of an expression after statements.
local MAX_ENDS = 50

-- Divides source into statements and the expression after the last of their `ends`, which are newlines or semicolons;
-- nil if that is impossible. If the `whole` source is valid, the expression is a call, which is also a statement.
function evaluate.divide(source, ends, whole)
   local from = #source + 1
   for _ = 1, MAX_ENDS do
      local head = match(sub(source, 1, from - 1), '^.*' .. ends)
      if not head then return nil end
      from = #head
      local tail = sub(source, from + 1)
      if not whole then tail = gsub(tail, '^%s*=', '') end
      local code = find(gsub(gsub(tail, '%-%-%[%[.-%]%]', ''), '%-%-[^\n]*', ''), '[^%s;]')
      -- Compiles the shorter part first.
      if code and loadstring(whole and tail or 'return ' .. tail) then
         if loadstring(' ' .. head) then return head, tail end
         if whole then return nil end
      end
   end
end

local OPERATORS = {}
for word in string.gmatch('+ - * / % ^ .. < > <= >= == ~= and or', '%S+') do OPERATORS[word] = true end

-- Returns the message for source that is neither statements nor an expression: the expression's if that fails after
-- the place where no statement can go on.
local function later_message(statement, expression, source)
   local at, after = match(statement, ": unexpected symbol near '(.+)'$"), match(expression, "near '(.+)'$")
   local text = gsub(source, '^[%s=]+', '')
   local function begins(token) return token ~= nil and find(text, token, 1, true) == 1 end
   local never = begins(at) or OPERATORS[at] or find(statement, ": '=' expected near", 1, true)
   -- Of `x += 1` the statement's message names the operator.
   if not never or after == '=' or find(expression, "'<eof>' expected", 1, true) then return statement end
   if find(expression, ': unexpected symbol', 1, true) and begins(after) then return statement end
   return expression
end

-- Returns the function, or nil, the message and whether more input could complete it; third, for a function, whether
-- its values are not to be shown. The appended newline closes a comment and keeps the error of an unfinished string on
-- its line; the prepended space keeps `#x` from being skipped as a script header.
local function compile_input(source, name, pasted)
   -- The first line of a pasted script, such as #!/usr/bin/env t7, is a comment.
   source = gsub(source, '^(%s*)#!', '%1--')
   local expression, forced = gsub(source, '^(%s*)=', '%1', 1)
   local chunk, message, silent = compile_expression('', expression, name)
   if chunk then return chunk, nil, silent end
   local more = is_incomplete(message)
   local whole, of_expression = nil, message
   if forced == 0 then whole, message = loadstring(' ' .. source .. '\n', name) end
   if whole and pasted and find(source, '[\n;]', (find(source, '%S'))) or not whole and is_divisible(message) then
      local ends = pasted and '[;\n]' or ';'
      local head, tail = evaluate.divide(source, ends, whole)
      if head then
         local divided, _, kept = compile_expression(' ' .. head, tail, name)
         if divided then return divided, nil, kept end
      end
   end
   if whole then return whole, nil, find(source, ';%s*$') ~= nil end
   if not more and not is_incomplete(message) then return nil, later_message(message, of_expression, source), false end
   local block = require('shell.other_languages').up_to_block(source)
   if block then
      message = select(2, loadstring(' ' .. block .. ' end', name))
      return nil, match(message, '^.-:%d+: ') .. "unexpected symbol near ':'"
   end
   return nil, is_incomplete(message) and message or of_expression, true
end

-- The message for source that is unfinished where there is no more. It names the last line of code, not the end after
-- it.
local function message_at_end(source, name)
   local trimmed = match(gsub(source, '^(%s*)#!', '%1--'), '^(.*%S)') or ''
   local expression = gsub(trimmed, '^(%s*)=', '%1', 1)
   local of_expression = select(2, loadstring('return ' .. expression, name))
   local message = expression == trimmed and select(2, loadstring(' ' .. trimmed, name)) or of_expression
   return later_message(message, of_expression or message, source)
end

-- Keeps the last compiled source: an input of the prompt is checked before it runs.
local last = {}

local function compile_once(source, name, pasted)
   if last.source ~= source or last.name ~= name or last.pasted ~= pasted then
      local chunk, message, third = compile_input(source, name, pasted)
      last = { source = source, name = name, pasted = pasted, chunk = chunk, message = message, third = third }
   end
   return last.chunk, last.message, last.third
end

-- Stores the debug hook set by programs, with its mask and count: it is active only while they run.
local hook = {}

-- Makes a record from the handler's result. After a stack overflow the handler may lack room: the result is then a
-- string.
local function error_record(chunk, record)
   -- LuaJIT does not collect when an allocation fails, although garbage of the program may fill the memory.
   if string.find(type(record) == 'table' and record.message or record or '', 'not enough memory', 1, true) then
      collectgarbage()
   end
   if type(record) ~= 'table' then
      local message = match(record or '', '[^\n]*')
      record = { message = last_error.overflowed(message, getinfo(chunk, 'S').short_src), where = '', traceback = '' }
   end
   record.status = 'error'
   return record
end

-- Ends the debugger's steps in a program, which set `evaluate.at_end`.
local function end_steps()
   local at_end = evaluate.at_end
   evaluate.at_end = nil
   if at_end then at_end() end
end

-- Stores a hook set by the program, and returns true and the function's values, or the record of its error.
local function returned(chunk, inside, ok, ...)
   if not inside then
      end_steps()
      local f, mask, count = gethook()
      if type(f) == 'function' then
         hook = { f, mask, count }
         sethook()
      elseif hook[1] then
         hook = {}
      end
   end
   if ok then
      heap_reserve.keep()
      return true, ...
   end
   local record = error_record(chunk, (...))
   heap_reserve.keep()
   return record
end

-- Calls a Lua function for Python. Returns true and its values, or a record with `status` 'error' and the handler's
-- fields.
function evaluate.call(chunk, ...)
   local inside = type(gethook()) == 'function'
   if not inside then
      -- Ctrl-C leaves a program at once.
      end_steps()
      if hook[1] then sethook(unpack(hook)) end
   end
   return returned(chunk, inside, xpcall(chunk, traceback, ...))
end

local function record_of(ok, ...)
   return ok == true and { status = 'ok', values = pack(...) } or ok
end

-- Like `evaluate.call`, but always returns a record: `status` is 'ok', and `values` has their number as `n`.
local function run(chunk, ...) return record_of(evaluate.call(chunk, ...)) end

-- Returns a function that runs an input, or nil and the message.
function evaluate.compiled(source, name)
   local chunk, message, more = compile_input(source, name)
   if not chunk then return nil, more and message_at_end(source, name) or message end
   return function() return chunk(same) end
end

-- Compiles without running: status 'ok', 'incomplete' or 'syntax'. Input that is `pasted` may be statements and,
-- last, an expression.
function evaluate.check(source, name, pasted)
   local chunk, message, more = compile_once(source, name, pasted)
   return { status = chunk and 'ok' or more and 'incomplete' or 'syntax', message = message }
end

local shown      -- the object that the input which runs has drawn

-- Evaluates an input of the prompt or of a document, exactly once.
function evaluate.input(source, name)
   local chunk, message, third = compile_once(source, name, true)
   last = {}
   if not chunk then
      last_error.input = source
      if third then return { status = 'incomplete', message = message_at_end(source, name) } end
      return { status = 'syntax', message = message }
   end
   sources.keep(chunk, source, name)
   shown = nil
   local record = run(chunk, same)
   local values = record.values
   record.silent = third or values and values.n == 1 and shown ~= nil and rawequal(values[1], shown)
   return record
end

-- Evaluates an expression that is no input.
function evaluate.expression(source)
   local chunk, message = compile_expression('', source, '=(expression)')
   if not chunk then
      last_error.input = source
      return { status = 'syntax', message = message }
   end
   return run(chunk, same)
end

-- Keeps the prompt from printing an object that is the value of the running input and has already been drawn.
function evaluate.has_shown(object)
   shown = object
end

-- Runs a whole program with the given values of `...`, and calls `evaluate.at_begin` before, once, if it is set.
function evaluate.script(source, name, ...)
   local chunk, message = loadstring(source, name)
   if not chunk then
      last_error.input = source
      return { status = 'syntax', message = message }
   end
   sources.keep(chunk, source, name)
   local begin = evaluate.at_begin
   evaluate.at_begin = nil
   if not begin then return run(chunk, ...) end
   return run(function(...)
      begin()
      return chunk(...)
   end, ...)
end

-- Returns the address of an object as text, which identifies it for Python.
function evaluate.address(object)
   return format('%p', object)
end

-- Tells whether arguments with this number of bytes can be passed.
evaluate.reserve = heap_reserve.make

-- Read and write a field: both may run code and raise errors.
function evaluate.get(object, key) return object[key] end
function evaluate.put(object, key, value) object[key] = value end

-- Wraps a callable Python object in a Lua function, which Lua's functions require.
function evaluate.function_of(callable)
   return function(...) return callable(...) end
end

-- Calls a function of the shell with the values of a record; Python would convert a coroutine to a function.
function evaluate.apply(f, record)
   local kept = hook
   hook = {}
   local outcome = run(f, unpack(record.values, 1, record.values.n))
   if not hook[1] then hook = kept end
   return outcome
end

return evaluate
