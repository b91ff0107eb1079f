-- Keeps information on the last error at the prompt: the frames of the user's code with their local variables, the
-- line of code that failed, and a hint.

local find, match, sub = string.find, string.match, string.sub
local insert = table.insert
local errors = require 'torch.base.errors'
local is_library = errors.is_library
local globals, loaded = _G, package.loaded

local last_error = {
   keep = false,      -- whether the frames of a failing line are kept: 'lines', or true, with their local variables
   input = nil,       -- the text of the input that runs
   frames = {},       -- of the last error, innermost first
   failing = {},      -- as `frames`, but none if the error is not of this input
   overflow = nil,    -- the innermost frame of a stack that overflowed
}

-- Stores the single frame that the handler saw of an overflowed stack. Returns the message prefixed with the frame's
-- line, or with the name of the chunk if the handler saw none.
function last_error.overflowed(message, chunk)
   local frame = last_error.overflow
   last_error.overflow = nil
   if not frame or is_library(frame.source) or frame.currentline < 0 then
      return match(message, '^stack overflow') and string.format('%s: %s', chunk, message) or message
   end
   if last_error.keep then last_error.frames, last_error.failing = { frame }, { frame } end
   if string.find(message, ':%d+: ') then return message end
   return string.format('%s:%d: %s', frame.short_src, frame.currentline, message)
end

-- Returns the number of functions on the stack, up to the caller. They are counted by bisection: the cost of a level
-- grows with its depth.
function last_error.stack_depth()
   local low, high = 1, 64
   while debug.getinfo(high, 'l') do low, high = high, high * 2 end
   while high - low > 1 do
      local middle = math.floor((low + high) / 2)
      if debug.getinfo(middle, 'l') then low = middle else high = middle end
   end
   return low - 1      -- This function is not on the stack of the caller.
end

-- Returns the upvalues of a function, then the local variables at a stack level of the caller, later ones last: a list
-- of { name, value, upvalue index or nil, local index or nil }.
function last_error.locals(level, f)
   local list = {}
   for i = 1, 60 do
      local name, value = debug.getupvalue(f, i)
      if not name then break end
      insert(list, { name, value, i })
   end
   for i = 1, 200 do
      local name, value = debug.getlocal(level + 1, i)
      if not name then break end
      if not string.find(name, '^%(') then insert(list, { name, value, nil, i }) end
   end
   return list
end

local function scope_of(frame)
   local scope = {}
   for _, pair in ipairs(frame.locals or {}) do scope[pair[1]] = pair[2] end
   return scope
end

local function is_wrong(message)
   return message ~= nil and not string.find(message, "near '<eof>'", 1, true)
end

-- Distinguishes an error at the end of source from unfinished source.
local function fails_at(source)
   local _, message = loadstring(source)
   local _, expression = loadstring('return ' .. string.gsub(source, '^%s*=', ''))
   return is_wrong(message) and is_wrong(expression)
end

-- The maximum length of a message that is searched for names: unanchored patterns are slow on long words.
local MAX_BYTES = 1000
-- How many bytes are compiled in search of the place of a syntax error in its line.
local MAX_COMPILED = 2 ^ 20

-- Returns the line of code that a message names, its number, and the start and the length of the mark in it.
function last_error.line(message, syntax)
   local sources = require 'shell.sources'
   message = sub(message, 1, MAX_BYTES)
   local number = tonumber(match(message, '^[^\n]-:(%d+): '))
   local frame, lines
   if syntax then
      lines = last_error.input and sources.split(last_error.input)
   else
      -- error(message, 2) names the line of a caller.
      local location = match(message, '^([^\n]-:%d+): ')
      for _, candidate in ipairs(last_error.failing) do
         if candidate.currentline > 0 then
            frame = frame or candidate
            if candidate.short_src .. ':' .. candidate.currentline == location then
               frame = candidate
               break
            end
         end
      end
      if not frame then return nil end
      number, lines = frame.currentline, sources.lines(frame.func)
   end
   local text = lines and lines[number]
   if not text then return nil end
   local word = match(message, "%a+ '([^'\n]+)' %(a %w+ value%)") or syntax and match(message, "near '([^'\n]+)'")
      or match(message, "bad argument #%d+ to '([%w_]+)'") or match(message, '^[^\n]-:%d+: ([%a_][%w_]*): ')
   local start, finish
   if word then
      local pattern = string.gsub(word, '%p', '%%%0')
      if string.find(word, '^[%w_]+$') then pattern = '%f[%w_]' .. pattern .. '%f[^%w_]' end
      -- The indexed or called name precedes a sign of that; the name may occur earlier in other uses.
      local action = match(message, 'attempt to (%a+) %a+ ')
      local sign = action == 'index' and '%s*[.:[]' or action == 'call' and '%s*[({"\']' or ''
      -- Strings and comments cannot raise errors.
      local code = syntax and text or require('shell.lexer').read(text).code
      start, finish = string.find(code, pattern .. sign)
      if start and sign ~= '' then finish = start + #word - 1 end
      if not start then start, finish = string.find(text, pattern) end
      local before = syntax and table.concat(lines, '\n', 1, number - 1) .. '\n' or ''
      -- The message names the part of a string in front of a wrong escape sequence, such as \q.
      local escape = syntax and find(message, ': invalid escape') and 2 or 0
      local compiled = 0
      while syntax and start and not fails_at(before .. sub(text, 1, finish + escape)) do
         compiled = compiled + #before + finish
         if compiled > MAX_COMPILED then
            start = nil
         else
            start, finish = string.find(text, pattern, finish + 1)
         end
      end
      if start then finish = math.min(finish + escape, #text) end
   end
   if not start then start, finish = string.find(text, '%S.*') end
   if not start then return nil end
   return text, number, start, finish - start + 1
end

local function object_before(name, frame)
   local names, lexer, sources = require 'shell.names', require 'shell.lexer', require 'shell.sources'
   local lines = sources.lines(frame.func)
   local chain = lines and lexer.chain_before(lines[frame.currentline], name)
   return chain and names.resolve(chain, scope_of(frame))
end

local function did_you_mean(name, list)
   local near = require('shell.spelling').nearest(name, list)
   return near and string.format("did you mean '%s'?", near)
end

-- Explains a name that an earlier input declared local.
local function was_local(name)
   local inputs = require('shell.sources').inputs()
   for number = #inputs, 1, -1 do
      local code = require('shell.lexer').read(inputs[number]).code
      for words in string.gmatch(code, '%f[%w_]local%s+([%a_][%w_,%s]*)') do
         if string.find(words, '%f[%w_]' .. name .. '%f[^%w_]') then
            return string.format("'%s' was local to input [%d]; without `local` it stays", name, number)
         end
      end
   end
end

-- Explains a global that has the name of a package.
local function of_package(name)
   local found = name ~= 'shell' and package.searchpath(name, require('torch.jit.loader').patterns)
   return found and string.format("`require '%s'` provides it", name) or nil
end

-- Suggests the function for a function of torch called as a method, or the reverse.
local function other_form(kind, name, object)
   local names, types, torch = require 'shell.names', require 'torch.base.types', require 'torch'
   if kind == 'method' and types.of_tensor(object) and type(names.field(torch, name)) == 'function' then
      return string.format('it is a function: torch.%s(x)', name)
   end
   if kind == 'field' and object == torch and types.default.tensor_methods[name] then
      return string.format('it is a method: x:%s()', name)
   end
end

-- Suggests the equivalent of a PyTorch function or method. PyTorch uses underscores: masked_fill_ is maskedFill.
local function from_pytorch(name, object, list)
   local types, torch = require 'torch.base.types', require 'torch'
   if object ~= torch and not types.of_tensor(object) then return nil end
   local plain = string.gsub(name, '_$', '')
   local code = require('shell.pytorch_names')[plain]
   if code then return string.format('here it is `%s`', code) end
   local camel = string.gsub(plain, '_(%l)', string.upper)
   return camel ~= name and list[camel] and string.format("did you mean '%s'?", camel) or nil
end

local OPEN = '%f[%w_]io%.open%s*%(%s*(["\'])([^"\']*)%1'

-- Explains a nil that io.open gave, in the line of an error or in an earlier input that sets a variable.
local function unopened(message, name, text)
   if not find(message, 'attempt to index', 1, true) then return nil end
   local inputs = name and require('shell.sources').inputs() or {}
   local pattern = name and '%f[%w_]' .. name .. '%s*=%s*' .. OPEN or OPEN
   local quote, path = match(text or '', pattern)
   for number = #inputs, 1, -1 do
      if quote then break end
      quote, path = match(inputs[number], pattern)
   end
   local file, problem = io.open(path or '.')
   if file then file:close() end
   return quote and problem and string.format('io.open failed: %s', problem) or nil
end

local function hint(message, syntax)
   local other_languages = require 'shell.other_languages'
   if syntax then
      local text = last_error.line(message, true)
      return text and other_languages.of_code(require('shell.lexer').read(text).code)
   end
   local kind, name = match(message, "(%a+) '([%a_][%w_]*)' %(a nil value%)")
   local frame
   for _, candidate in ipairs(last_error.failing) do frame = frame or candidate.currentline > 0 and candidate end
   local text = last_error.line(message)
   local code = text and require('shell.lexer').read(text).code
   local typography = code and other_languages.typography(code)
   if typography then return typography end
   if not kind then return unopened(message, nil, text) or other_languages.of_message(message, code) end
   if not frame then return nil end
   local elsewhere = kind ~= 'method' and kind ~= 'field'
      and (other_languages.of_name(name, kind, code) or unopened(message, name, text))
   if elsewhere then return elsewhere end
   local names = require 'shell.names'
   if kind == 'global' then
      local list = names.fields(globals)
      for _, pair in ipairs(frame.locals or {}) do list[pair[1]] = true end
      return was_local(name) or of_package(name) or did_you_mean(name, list)
   end
   if kind ~= 'method' and kind ~= 'field' then return nil end
   local object = object_before(name, frame)
   if type(object) == 'nil' then return nil end
   local list = names.fields(object)
   return other_form(kind, name, object) or from_pytorch(name, object, list) or did_you_mean(name, list)
end

-- Returns a hint on an error in a few words, nil if there is none. Source that does not compile is a `syntax` error.
function last_error.hint(message, syntax)
   local ok, text = pcall(hint, sub(message, 1, MAX_BYTES), syntax)
   return ok and text or nil
end

-- An input without blanks and `=` in front of it. One pattern for both would try each division of the blanks.
local function expression_of(text) return match(match(text, '^%s*=?(.*)'), '^%s*(.*)') end

local explained = {}      -- names of local variables that the user was told about

-- Returns a hint on an input that is only a name without a value, once for each name.
function last_error.hint_for_nil(text)
   local name = match(expression_of(text), '^([%a_][%w_]*)%s*$')
   if not name or explained[name] then return nil end
   local explanation = was_local(name) or require('shell.other_languages').of_name(name, 'global')
   explained[name] = explanation ~= nil
   return explanation
end

-- Returns a hint on an input with characters that look like those of Lua; nil if it has none.
function last_error.hint_for_typography(text)
   return require('shell.other_languages').typography(require('shell.lexer').read(text).code)
end

-- Tells whether a table is one of a package or of Lua: a field that it does not have is misspelt.
local function is_package(object)
   if type(object) ~= 'table' or rawequal(object, globals) then return false end
   for _, module in next, loaded do
      if rawequal(module, object) then return true end
   end
   return false
end

-- Returns a hint on an input that is a method of a tensor, which is not called, or a field that a tensor or a package
-- does not have; nil if it is neither.
function last_error.hint_for_field(text, value)
   local name, key = match(expression_of(text), '^([%a_][%w_]*)%.([%a_][%w_]*)%s*$')
   local object = name and rawget(globals, name)
   local is_tensor = require('torch.base.types').of_tensor(object)
   if type(value) == 'nil' and (is_tensor or is_package(object)) then
      local list = require('shell.names').fields(object)
      return is_tensor and from_pytorch(key, object, list) or did_you_mean(key, list)
   end
   return is_tensor and type(value) == 'function' and string.format('it is a method: %s:%s()', name, key) or nil
end

local function shown(value)
   local pretty, types = require 'shell.pretty', require 'torch.base.types'
   local kind = type(value)
   if types.of_tensor(value) or types.of_storage(value) then return pretty.short(value) end
   if kind == 'string' then return pretty.short(#value > 60 and sub(value, 1, 57) .. '...' or value) end
   if kind == 'table' then return require('shell.names').kind(value) end
   return tostring(value)
end

-- Returns the text of a list of { name, value }: a line for each.
function last_error.variables(list, margin)
   local lines = {}
   for _, pair in ipairs(list) do
      local ok, text = pcall(shown, pair[2])
      insert(lines, margin .. pair[1] .. ' = ' .. (ok and text or '?'))
   end
   return table.concat(lines, '\n')
end

-- Returns the frames of the last error with their variables as text, nil if there was none.
function last_error.text()
   local lines = {}
   for i, frame in ipairs(last_error.frames) do
      local location = frame.short_src .. (frame.currentline > 0 and ':' .. frame.currentline or '')
      local name = frame.what == 'main' and 'main chunk' or frame.name and "'" .. frame.name .. "'" or 'a function'
      insert(lines, i .. '  ' .. location .. ' in ' .. name)
      if frame.locals and #frame.locals > 0 then insert(lines, last_error.variables(frame.locals, '      ')) end
   end
   return #lines > 0 and table.concat(lines, '\n') or nil
end

return last_error
