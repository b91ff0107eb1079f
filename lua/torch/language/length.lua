-- The operator `#` honours `__len` of tables, which LuaJIT does only when built with its 5.2 switch. `#x` becomes
-- `true^x`: `^` binds to its right as tightly as a unary operator, so no expression has to be parsed. The length is
-- the `__pow` of booleans; the compiler inlines it and emits the machine code of `#`.

local byte, find, format, gmatch = string.byte, string.find, string.format, string.gmatch
local match, sub = string.match, string.sub
local concat = table.concat
local error, ipairs, pcall, rawequal, rawget, rawset, type = error, ipairs, pcall, rawequal, rawget, rawset, type
local getfenv, getinfo, getlocal, getupvalue = debug.getfenv, debug.getinfo, debug.getlocal, debug.getupvalue
local metatable_of, set_metatable = debug.getmetatable, debug.setmetatable
local skip = require('torch.language.tokens').skip

local length = {}

local sources = {}      -- chunk name -> source of chunks whose name is not their source

local NOT_NAMES = {
   ['nil'] = true, ['true'] = true, ['false'] = true, ['not'] = true, ['function'] = true,
}

-- Returns the index of the first token at or after i.
local function next_token(source, i)
   while true do
      i = find(source, '%S', i)
      if not i or sub(source, i, i + 1) ~= '--' then return i end
      i = skip(source, i) + 1
   end
end

-- Returns the name that LuaJIT would mention for the operand at i: 'x', '.field', or nil for other operands.
local function operand_name(source, i)
   local name, after = match(source, '^%(%s*([%a_][%w_]*)%s*%)()', i)
   if not name then name, after = match(source, '^([%a_][%w_]*)()', i) end
   if not name or NOT_NAMES[name] then return nil end
   while true do
      local field, stop = match(source, '^%s*%.%s*([%a_][%w_]*)()', after)
      if not field then
         local _
         _, field, stop = match(source, '^%s*%[%s*(["\'])([%a_][%w_]*)%1%s*%]()', after)
      end
      if not field then break end
      name, after = '.' .. field, stop
   end
   if match(source, '^%s*[%[({"\':^]', after) then return nil end
   return name
end

-- Tells whether a string or a comment may have several lines. If none has, only lines with a `#` are read.
local function spans_lines(source)
   return find(source, '[[', 1, true) or find(source, '[=', 1, true) or find(source, '\\[\r\nz]')
end

-- Returns where the line of `at` begins, `first` if that is before it.
local function line_start(source, at, first)
   while at > first and byte(source, at - 1) ~= 10 do at = at - 1 end
   return at
end

-- Returns an iterator over the operators of source and their operands. Literals, which have no metatables, are skipped.
local function operators(source)
   -- A first line may name the program that runs the file.
   local i = find(source, '^\239?\187?\191?#') and (find(source, '\n', 1, true) or #source) or 1
   local is_by_line, sign = not spans_lines(source), 0
   return function()
      while true do
         if is_by_line and i > sign then
            sign = find(source, '#', i, true)
            if not sign then return nil end
            i = line_start(source, sign, i)
         end
         i = find(source, '["\'%[%-#]', i)
         if not i then return nil end
         local at = i
         if byte(source, at) == 35 then
            i = at + 1
            local operand = next_token(source, i)
            local first = operand and sub(source, operand, operand)
            local literal = first == '"' or first == "'" or first == '{' or first and match(source, '^%[=*%[', operand)
            if operand and not literal then return at, operand end
         else
            i = skip(source, at) + 1
         end
      end
   end
end

-- Returns source with each `#` before a non-literal replaced, the same string if there is none. `name` is the chunk's.
function length.rewrite(source, name)
   if not find(source, '#', 1, true) then return source end
   local pieces, kept, count = {}, 1, 0
   for at in operators(source) do
      pieces[count + 1], pieces[count + 2] = sub(source, kept, at - 1), ' true^'
      count, kept = count + 2, at + 1
   end
   if count == 0 then return source end
   if find(name, '^[@=]') then sources[name] = source end
   pieces[count + 1] = sub(source, kept)
   return concat(pieces)
end

-- Returns the names of the operands in a line, and how many operators there are.
local function operands(source, line)
   local names, count, number, from = {}, 0, 1, 1
   for at, operand in operators(source) do
      for _ in gmatch(sub(source, from, at - 1), '\n') do number = number + 1 end
      from = at
      if number > line then break end
      if number == line then
         count = count + 1
         names[#names + 1] = operand_name(source, operand)
      end
   end
   return names, count
end

local function variable(name, level)
   local kind, value
   for i = 1, 250 do
      local found, content = getlocal(level + 1, i)
      if not found then break end
      if found == name then kind, value = 'local', content end
   end
   if kind then return kind, value end
   local f = getinfo(level + 1, 'f').func
   for i = 1, 60 do
      local found, content = getupvalue(f, i)
      if not found then break end
      if found == name then return 'upvalue', content end
   end
   return 'global', rawget(getfenv(f), name)
end

-- Raises LuaJIT's error for `#x` at the line of the program, two levels above the caller. Of several operands in the
-- line, it names the variable with that value, or else the field.
local function fail(x)
   local got, frame = format('a %s value', type(x)), getinfo(3, 'Sl')
   local names, count = operands(sources[frame.source] or frame.source, frame.currentline)
   if count == 0 and sources[frame.source] then error('attempt to perform arithmetic on a boolean value', 3) end
   local field
   for _, name in ipairs(names) do
      local inner = match(name, '^%.(.*)')
      local kind, value
      if inner then field = field or inner else kind, value = variable(name, 3) end
      if kind and rawequal(value, x) then error(format("attempt to get length of %s '%s' (%s)", kind, name, got), 3) end
   end
   if field then error(format("attempt to get length of field '%s' (%s)", field, got), 3) end
   error('attempt to get length of ' .. got, 3)
end

local function raw(x) return #x end

-- Returns the length of a C object. LuaJIT's error identifies types without one.
local function of_cdata(x)
   local ok, result = pcall(raw, x)
   if ok then return result end
   if type(result) == 'string' then result = match(result, "attempt to get length of '.*$") or result end
   error(result, 3)
end

local function of(operator, x)
   local kind = type(x)
   if kind == 'table' then
      local metatable = metatable_of(x)
      if metatable then
         local f = rawget(metatable, '__len')
         if f then return f(x, x) end
      end
      return #x
   end
   if kind == 'string' then return #x end
   if operator ~= true then error('attempt to perform arithmetic on a boolean value', 2) end
   if kind == 'cdata' then return (of_cdata(x)) end
   local metatable = metatable_of(x)
   if metatable and rawget(metatable, '__len') then return #x end
   fail(x)
end

local booleans = { __pow = of }
set_metatable(true, booleans)

-- debug.setmetatable for programs: a metatable for booleans keeps the operator. The one of C objects, which tensors
-- are, is the FFI's.
function length.setmetatable(value, metatable)
   if type(value) == 'cdata' then error('setmetatable: argument 1 must not be a C object, such as a tensor', 2) end
   if type(value) == 'boolean' then
      metatable = metatable or booleans
      if type(metatable) == 'table' then rawset(metatable, '__pow', of) end
   end
   return (set_metatable(value, metatable))
end

return length
