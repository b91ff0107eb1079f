-- pl.utils: reading and writing files, splitting strings, checking arguments, functions from strings.

local loadstring = require('torch.language.compile').load
local utils = { _VERSION = '1.5.2', unpack = unpack, stdmt = {} }

-- What differs between versions of Lua.
for name, value in pairs(require 'pl.compat') do utils[name] = value end

utils.patterns = {
   FLOAT = '[%+%-%d]%d*%.?%d*[eE]?[%+%-]?%d*', INTEGER = '[+%-%d]%d*', IDEN = '[%a_][%w_]*',
   FILE = '[%a%.\\][:%][%w%._%-\\]*',
}

function utils.pack(...) return { n = select('#', ...), ... } end

function utils.printf(text, ...) io.write(string.format(text, ...)) end

function utils.fprintf(file, text, ...) file:write(string.format(text, ...)) end

function utils.quit(status, text, ...)
   if type(status) == 'string' then
      io.stderr:write(string.format(status, text, ...), '\n')
      status = -1
   elseif text then
      io.stderr:write(string.format(text, ...), '\n')
   end
   os.exit(status or 0)
end

-- Escapes the magic characters of patterns.
function utils.escape(text) return (string.gsub(text, '[%-%.%+%[%]%(%)%$%^%%%?%*]', '%%%0')) end

function utils.choose(condition, a, b)
   if condition then return a end
   return b
end

-- Reads a whole file; nil and a message where it cannot be read.
function utils.readfile(name, is_binary)
   local file, message = io.open(name, is_binary and 'rb' or 'r')
   if not file then return nil, message end
   local text = file:read('*a')
   file:close()
   return text
end

function utils.writefile(name, text, is_binary)
   local file, message = io.open(name, is_binary and 'wb' or 'w')
   if not file then return nil, message end
   file:write(text)
   file:close()
   return true
end

function utils.readlines(name)
   local file, message = io.open(name)
   if not file then return nil, message end
   local lines = {}
   for line in file:lines() do lines[#lines + 1] = line end
   file:close()
   return lines
end

-- Splits a text at matches of a pattern (by default white space) into at most n parts.
function utils.split(text, pattern, plain, n)
   pattern = pattern or '%s+'
   if pattern == '' then return { text } end
   local parts, at = {}, 1
   while true do
      local first, last = string.find(text, pattern, at, plain)
      if not first or last < first or n and #parts == n - 1 then
         local rest = string.sub(text, at)
         -- An empty rest after the last match is not a part.
         if rest ~= '' then parts[#parts + 1] = rest end
         if #parts == 1 and parts[1] == '' then return {} end
         return parts
      end
      parts[#parts + 1] = string.sub(text, at, first - 1)
      at = last + 1
   end
end

function utils.splitv(text, pattern, plain, n) return unpack(utils.split(text, pattern, plain, n)) end

function utils.array_tostring(list, into, shown)
   into = into or {}
   for i = 1, #list do into[i] = (shown or tostring)(list[i], i) end
   return into
end

function utils.is_type(object, kind)
   if type(kind) == 'string' then return type(object) == kind end
   return getmetatable(object) == kind
end

function utils.is_callable(object)
   if type(object) == 'function' then return true end
   local metatable = getmetatable(object)
   return metatable and metatable.__call and true
end

function utils.type(object) return type(object) end

function utils.assert_arg(n, value, kind, verify, message, level)
   if type(value) ~= kind then
      error(string.format("argument %d expected a '%s', got a '%s'", n, kind, type(value)), level or 2)
   end
   if verify and not verify(value) then
      error(string.format("argument %d: '%s' %s", n, tostring(value), message or 'is not valid'), level or 2)
   end
end

function utils.assert_string(n, value) utils.assert_arg(n, value, 'string', nil, nil, 3) end

local operators = {}
local factories = {}             -- by metatables

-- Lets function_arg convert objects with a metatable to functions, by make(object).
function utils.add_function_factory(metatable, make) factories[metatable] = make end

-- Makes a function of '|x,y| x + y' or '_ + 1'; nil for text with neither, such as the name of a function.
function utils.string_lambda(text)
   local names, body = string.match(text, '^|([^|]*)|(.+)$')
   if not names then
      if not string.find(text, '_', 1, true) then return nil end
      names, body = '_', text
   end
   local f, message = loadstring('return function(' .. names .. ') return ' .. body .. ' end')
   if not f then error(message, 2) end
   return f()
end

-- Returns the function that a value stands for: itself, an operator such as '+', a lambda in a string, a callable.
function utils.function_arg(n, f)
   if type(f) == 'function' then return f end
   if type(f) == 'string' then
      local operator = require('pl.operator').optable[f]
      if operator then return operator end
      operators[f] = operators[f] or utils.string_lambda(f)
      if not operators[f] then
         error(string.format("%s'%s' is no operator and no lambda", n > 0 and 'argument ' .. n .. ': ' or '', f), 2)
      end
      return operators[f]
   end
   local make = factories[getmetatable(f) or false]
   if make then return make(f) end
   if utils.is_callable(f) then return f end
   if type(f) == 'table' or type(f) == 'userdata' then error('not a callable object', 2) end
   error(n > 0 and string.format('argument %d:  must be callable', n) or ' must be callable', 2)
end

function utils.bind1(f, first)
   f = utils.function_arg(1, f)
   return function(...) return f(first, ...) end
end

-- A function whose second argument is bound.
function utils.bind2(f, second)
   f = utils.function_arg(1, f)
   return function(first, ...) return f(first, second, ...) end
end

-- Caches the results of a function by its first argument.
function utils.memoize(f)
   return setmetatable({}, {
      __index = function(known, key)
         local value = f(key)
         known[key] = value
         return value
      end,
      __call = function(known, key) return known[key] end,
   })
end

-- Runs a shell command; returns whether it succeeded, and its status.
function utils.execute(command)
   local ok, kind, code = os.execute(command)
   return ok == true, kind == 'signal' and code + 128 or code or 0
end

-- A word, or the words of a list, as the shell reads them.
function utils.quote_arg(argument)
   if type(argument) == 'table' then
      local words = {}
      for i, word in ipairs(argument) do words[i] = utils.quote_arg(word) end
      return table.concat(words, ' ')
   end
   if argument ~= '' and not string.find(argument, '[^%w_@%+=:,./-]') then return argument end
   if utils.is_windows then return '"' .. string.gsub(argument, '"', '\\"') .. '"' end
   return "'" .. string.gsub(argument, "'", "'\\''") .. "'"
end

-- Runs a shell command; returns what execute does, and what it wrote to its output and to its errors.
function utils.executeex(command, is_binary)
   local out, errors = os.tmpname(), os.tmpname()
   local ok, status = utils.execute(command .. ' > ' .. utils.quote_arg(out) .. ' 2> ' .. utils.quote_arg(errors))
   local written, complaints = utils.readfile(out, is_binary), utils.readfile(errors, is_binary)
   os.remove(out)
   os.remove(errors)
   return ok, status, written or '', complaints or ''
end

-- Copies the entries of a module, by table or name, into a table, by default that of the globals; existing entries are
-- kept.
function utils.import(module, into)
   if type(module) == 'string' then module = require(string.find(module, '%.') and module or 'pl.' .. module) end
   into = into or _G
   for name, value in pairs(module or utils) do
      if rawget(into, name) == nil then
         rawset(into, name, value)
      elseif not string.find(name, '^_') then
         utils.fprintf(io.stderr, "warning: '%s' will not override existing symbol\n", name)
      end
   end
end

local mode = 'default'

-- What `raise` does: 'default' has it return nil and a message, 'error' raise it, and 'quit' end the program.
function utils.on_error(new_mode)
   if new_mode ~= 'default' and new_mode ~= 'error' and new_mode ~= 'quit' then
      error(string.format("Bad argument expected string; 'default', 'quit', or 'error'. Got '%s'", tostring(new_mode)),
         2)
   end
   mode = new_mode
end

function utils.raise(message)
   if mode == 'error' then error(message, 2) end
   if mode == 'quit' then utils.quit(message) end
   return nil, message
end

-- Iterates over the elements of a list.
function utils.elements(list)
   local i = 0
   return function()
      i = i + 1
      return list[i]
   end
end

return utils
