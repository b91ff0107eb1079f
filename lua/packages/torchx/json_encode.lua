-- Writes a Lua value as the text of torch.json. A state, a table of options, may have
--
--    indent      whether each entry of an object has its own line
--    level       the depth to begin with
--    keyorder    a list of keys that come first in objects
--    exception   f(reason, value, state, message) returns text for what JSON cannot hold, or nil and a message
--    buffer      a list to which pieces of text are appended, and bufferlen, their number
--
-- A metatable may have __tojson(value, state), which returns the text or true if it has appended it, __jsonorder, the
-- keyorder of its table, and __jsontype, which is 'object' for empty tables that are not arrays.

local check, key_order = require 'torch.base.check', require 'torch.base.key_order'

local DEPTH = 1000     -- of nested tables
local SPARSE = 10      -- the length up to which arrays may have any number of holes

-- Characters that JavaScript's JSON escapes: invisible ones and ends of lines.
local ESCAPED = {
   { 0x80, 0x9F }, { 0xAD, 0xAD }, { 0x600, 0x604 }, { 0x70F, 0x70F }, { 0x17B4, 0x17B5 }, { 0x200C, 0x200F },
   { 0x2028, 0x202F }, { 0x2060, 0x206F }, { 0xFEFF, 0xFEFF }, { 0xFFF0, 0xFFFF },
}

local SHORT = {
   ['"'] = '\\"', ['\\'] = '\\\\', ['\b'] = '\\b', ['\f'] = '\\f', ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t',
}

local function escaped_byte(c) return SHORT[c] or string.format('\\u%04x', string.byte(c)) end

-- The escape of a character of two or three bytes, nil if it has none.
local function escaped_character(s)
   local a, b, c = string.byte(s, 1, 3)
   local point = c and (a - 0xE0) * 4096 + (b - 0x80) * 64 + c - 0x80 or (a - 0xC0) * 64 + b - 0x80
   for _, range in ipairs(ESCAPED) do
      if point >= range[1] and point <= range[2] then return string.format('\\u%04x', point) end
   end
end

local function quoted(text)
   text = string.gsub(text, '[%z\1-\31"\\\127]', escaped_byte)
   text = string.gsub(text, '[\194-\223][\128-\191]', escaped_character)
   return '"' .. string.gsub(text, '[\224-\239][\128-\191][\128-\191]', escaped_character) .. '"'
end

local function put(state, text)
   state.bufferlen = state.bufferlen + 1
   state.buffer[state.bufferlen] = text
end

local function new_line(state, level)
   if state.indent then put(state, '\n' .. string.rep('  ', level)) end
end

local function reject(state, reason, value, message)
   if not state.exception then error(message, 0) end
   local text, why = state.exception(reason, value, state, message)
   if not text then error(why or message, 0) end
   if type(text) == 'string' then put(state, text) end
end

-- The length of an array, whose field n may be a larger one; nil for other tables.
local function array_length(t)
   local length, count, given = 0, 0, 0
   for key, value in pairs(t) do
      if key == 'n' and type(value) == 'number' then
         given = value
      elseif type(key) ~= 'number' or key < 1 or key % 1 ~= 0 then
         return nil
      else
         length, count = math.max(length, key), count + 1
      end
   end
   length = math.max(length, given)
   if length > SPARSE and length > given and length > 2 * count then return nil end
   return length
end

local append

local function append_array(state, list, length, level)
   put(state, '[')
   for i = 1, length do
      if i > 1 then put(state, ',') end
      append(state, list[i], level)
   end
   put(state, ']')
end

local function append_object(state, object, order, level)
   local before = '{'
   local function entry(key, value)
      if type(key) ~= 'string' and type(key) ~= 'number' then
         error(string.format("type '%s' is not supported as a key by JSON.", type(key)), 0)
      end
      put(state, before)
      new_line(state, level)
      put(state, quoted(tostring(key)) .. ':')
      append(state, value, level)
      before = ','
   end
   local written = {}
   if order ~= nil and type(order) ~= 'table' then error('the order of keys must be a table', 0) end
   for _, key in ipairs(order or {}) do
      if object[key] and not written[key] then
         written[key] = true
         entry(key, object[key])
      end
   end
   for key, value in key_order.pairs(object) do
      if not written[key] then entry(key, value) end
   end
   if before == '{' then put(state, '{') end
   new_line(state, level - 1)
   put(state, '}')
end

local function append_table(state, value, meta, level)
   if state.tables[value] then return reject(state, 'reference cycle', value, 'reference cycle') end
   if level >= state.last_level then error(string.format('more than %d nested tables', DEPTH), 0) end
   state.tables[value] = true
   if meta.__tojson then
      local text, why = meta.__tojson(value, state)
      if not text then
         reject(state, 'custom encoder failed', value, why or 'custom encoder failed')
      elseif type(text) == 'string' then
         put(state, text)
      end
   else
      local length = array_length(value)
      if length and not (length == 0 and meta.__jsontype == 'object') then
         append_array(state, value, length, level + 1)
      else
         append_object(state, value, meta.__jsonorder or state.keyorder, level + 1)
      end
   end
   state.tables[value] = nil
end

function append(state, value, level)
   local kind, meta = type(value), getmetatable(value)
   meta = type(meta) == 'table' and meta or {}
   if value == nil or value == state.null or kind == 'number' and (value ~= value or math.abs(value) == math.huge) then
      put(state, 'null')
   elseif kind == 'table' or meta.__tojson then
      append_table(state, value, meta, level)
   elseif kind == 'string' then
      put(state, quoted(value))
   elseif kind == 'number' or kind == 'boolean' then
      put(state, tostring(value))
   else
      reject(state, 'unsupported type', value, string.format("type '%s' is not supported by JSON.", kind))
   end
end

local json_encode = { quotestring = quoted }

-- An exception that leaves the message in place of a value.
function json_encode.encodeexception(_, _, _, message) return quoted('<' .. message .. '>') end

local function check_state(state)
   check.kind('json.encode', 'argument 2', state, 'table')
   for _, key in ipairs { 'keyorder', 'buffer', 'tables' } do
      if state[key] ~= nil then check.kind('json.encode', key, state[key], 'table') end
   end
   if state.exception ~= nil then check.callable('json.encode', 'exception', state.exception) end
   check.integer('json.encode', 'bufferlen', state.bufferlen or 0, 0)
   return state, check.integer('json.encode', 'level', state.level or 0, 0)
end

-- Returns a function that encodes values, of which one is null, by a state.
function json_encode.encoder(null)
   return function(value, options)
      local state, level = check_state(options or {})
      local given = state.buffer
      state.buffer, state.bufferlen = given or {}, state.bufferlen or 0
      state.tables, state.null, state.last_level = state.tables or {}, null, level + DEPTH
      local ok, why = pcall(append, state, value, level)
      if not ok then error(why, 2) end
      if given then return true end
      local text = table.concat(state.buffer, '', 1, state.bufferlen)
      state.buffer, state.bufferlen = nil, nil
      return text
   end
end

return json_encode
