-- Reads JSON text.

local byte, error, find, format = string.byte, error, string.find, string.format
local match, sub, tonumber = string.match, string.sub, tonumber
local encode_utf8 = require 'torch.utility.encode_utf8'

local QUOTE, COMMA, COLON, OPEN, CLOSE, BEGIN, END = byte('",:[]{}', 1, 7)
local ZERO, NINE, PLUS, MINUS, POINT = byte('09+-.', 1, 5)
local SPACE, TABULATOR, LINE_END, RETURN, BACKSLASH = byte(' \t\n\r\\', 1, 5)
local SMALL_E, LARGE_E, SMALL_X, LARGE_X = byte('eExX', 1, 4)

local token_names = {
   [COMMA] = 'T_COMMA', [COLON] = 'T_COLON', [OPEN] = 'T_ARR_BEGIN', [CLOSE] = 'T_ARR_END', [BEGIN] = 'T_OBJ_BEGIN',
   [END] = 'T_OBJ_END', [QUOTE] = 'T_STRING',
}

-- Raises an error in the text, which `decode` catches.
local function reject(position, ...)
   error { message = format(...), position = position }
end

local function fail(expected, found, position)
   reject(position, 'Expected %s but found %s at character %d', expected, found, position)
end

-- The first position from one on at which there is no space, tabulator or end of a line. Loops over bytes are compiled;
-- searches for patterns are not, and keep what calls them from being compiled.
local function skip(text, position)
   local c = byte(text, position)
   while c == SPACE or c == TABULATOR or c == LINE_END or c == RETURN do
      position = position + 1
      c = byte(text, position)
   end
   return position
end

local plain = { b = '\b', t = '\t', n = '\n', f = '\f', r = '\r', ['"'] = '"', ['\\'] = '\\', ['/'] = '/' }

-- Reads \uXXXX at a position, two of them where the first is half of a pair: the text and where it ends.
local function unicode(text, position)
   local digits = match(text, '^\\u(%x%x%x%x)', position)
   local code = digits and tonumber(digits, 16)
   if not code or code >= 0xDC00 and code < 0xE000 then return nil end
   if code < 0xD800 or code >= 0xE000 then return encode_utf8(code), position + 6 end
   local low = match(text, '^\\u(%x%x%x%x)', position + 6)
   low = low and tonumber(low, 16)
   if not low or low < 0xDC00 or low >= 0xE000 then return nil end
   return encode_utf8(0x10000 + (code - 0xD800) * 1024 + low - 0xDC00), position + 12
end

-- Reads the string whose quote is at a position, where `expected` is: its value and where the text goes on.
local function read_string(text, position, expected)
   local from = position + 1
   local stop = from
   local c = byte(text, stop)
   while c and c ~= QUOTE and c ~= BACKSLASH and c ~= 0 do
      stop = stop + 1
      c = byte(text, stop)
   end
   if c == QUOTE then return sub(text, from, stop - 1), stop + 1 end
   local parts, n = {}, 0
   while true do
      stop = find(text, '["\\%z]', from)
      if not stop or byte(text, stop) == 0 then fail(expected, 'unexpected end of string', stop or #text + 1) end
      n = n + 1
      parts[n] = sub(text, from, stop - 1)
      if byte(text, stop) == QUOTE then return table.concat(parts), stop + 1 end
      local letter = sub(text, stop + 1, stop + 1)
      n = n + 1
      if letter == 'u' then
         local value, after = unicode(text, stop)
         if not value then fail(expected, 'invalid unicode escape code', stop) end
         parts[n], from = value, after
      elseif plain[letter] then
         parts[n], from = plain[letter], stop + 2
      else
         fail(expected, letter == '' and 'unexpected end of string' or 'invalid escape code', stop)
      end
   end
end

-- Numbers that C's strtod takes and JSON does not: hexadecimal, infinite, or nan, in any case of letters.
local WORDS = { { 'infinity', 1 / 0 }, { 'inf', 1 / 0 }, { 'nan', 0 / 0 } }

local function read_special(text, position)
   local sign, from = match(text, '^([+-]?)()', position)
   local value, after
   local _, stop = find(text, '^0[xX]%x*%.?%x*', from)
   if stop then
      local _, power = find(text, '^[pP][+-]?%d+', stop + 1)
      stop = power or stop
      value, after = tonumber(sub(text, from, stop)), stop + 1
   else
      for _, word in ipairs(WORDS) do
         if string.lower(sub(text, from, from + #word[1] - 1)) == word[1] then
            value, after = word[2], from + #word[1]
            break
         end
      end
   end
   if value then return sign == '-' and -value or value, after end
end

-- The first position from one on at which there is no digit.
local function skip_digits(text, position)
   local c = byte(text, position)
   while c and c >= ZERO and c <= NINE do
      position = position + 1
      c = byte(text, position)
   end
   return position
end

-- Where a number at a position ends that is written as in most texts, and is JSON: without an exponent, and with a
-- digit before and behind its point. nil for other ones.
local function end_of_common(text, position)
   if byte(text, position) == MINUS then position = position + 1 end
   local stop = skip_digits(text, position)
   local count, c = stop - position, byte(text, stop)
   if count == 0 or count > 1 and byte(text, position) == ZERO then return nil end
   if c == POINT then
      local from = stop + 1
      stop = skip_digits(text, from)
      if stop == from then return nil end
      c = byte(text, stop)
   end
   if c == SMALL_E or c == LARGE_E or c == SMALL_X or c == LARGE_X or c == POINT then return nil end
   return stop
end

-- Reads the number at a position, where `expected` is: its value and where the text goes on.
local function read_number(text, position, settings, expected)
   local common = end_of_common(text, position)
   if common then return tonumber(sub(text, position, common - 1)), common end
   local value, after = read_special(text, position)
   local is_special = value ~= nil
   if not is_special then
      local from, stop = find(text, '^-?%d*%.?%d*', position)
      local _, power = find(text, '^[eE][+-]?%d+', stop + 1)
      stop = power or stop
      value, after = tonumber(sub(text, from, stop)), stop + 1
      if not value then fail(expected, 'invalid number', position) end
   end
   -- As in the original, digits of numbers that are too large are always allowed: they are infinite.
   if not settings.invalid_in and (is_special or find(text, '^-?0%d', position)) then
      fail(expected, 'invalid number', position)
   end
   return value, after
end

-- The position of the digits of a number, or of a word for one; nil where none begins.
local function number_at(text, position, settings)
   local c = byte(text, position)
   if not c then return nil end
   if c >= ZERO and c <= NINE or c == MINUS then return position end
   if not settings.invalid_in then return nil end
   if c == PLUS and find(text, '^[%d.]', position + 1) then return position + 1 end
   return read_special(text, position) and position
end

-- Fails for the token at a position, and as reading it does if it is a string or a number that is wrong.
local function fail_at(text, position, settings, expected)
   local c = byte(text, position)
   if not c or c == 0 then fail(expected, 'T_END', position) end
   if c == QUOTE then read_string(text, position, expected) end
   if token_names[c] then fail(expected, token_names[c], position) end
   if find(text, '^true', position) or find(text, '^false', position) then fail(expected, 'T_BOOLEAN', position) end
   if find(text, '^null', position) then fail(expected, 'T_NULL', position) end
   local digits = number_at(text, position, settings)
   if not digits then fail(expected, 'invalid token', position) end
   read_number(text, digits, settings, expected)
   fail(expected, 'T_NUMBER', position)
end

local read

local function deeper(depth, settings, position)
   depth = depth + 1
   if depth > settings.decode_depth then
      reject(position, 'Found too many nested data structures (%d) at character %d', depth, position)
   end
   return depth
end

local function read_array(text, position, settings, depth)
   depth = deeper(depth, settings, position)
   local list, n = settings.array_meta and setmetatable({}, settings.array_meta) or {}, 0
   position = skip(text, position + 1)
   if byte(text, position) == CLOSE then return list, position + 1 end
   while true do
      n = n + 1
      list[n], position = read(text, position, settings, depth)
      position = skip(text, position)
      local c = byte(text, position)
      if c == CLOSE then return list, position + 1 end
      if c ~= COMMA then fail_at(text, position, settings, 'comma or array end') end
      position = skip(text, position + 1)
   end
end

local function read_object(text, position, settings, depth)
   depth = deeper(depth, settings, position)
   local object = settings.object_meta and setmetatable({}, settings.object_meta) or {}
   position = skip(text, position + 1)
   if byte(text, position) == END then return object, position + 1 end
   while true do
      if byte(text, position) ~= QUOTE then fail_at(text, position, settings, 'object key string') end
      local key
      key, position = read_string(text, position, 'object key string')
      position = skip(text, position)
      if byte(text, position) ~= COLON then fail_at(text, position, settings, 'colon') end
      object[key], position = read(text, skip(text, position + 1), settings, depth)
      position = skip(text, position)
      local c = byte(text, position)
      if c == END then return object, position + 1 end
      if c ~= COMMA then fail_at(text, position, settings, 'comma or object end') end
      position = skip(text, position + 1)
   end
end

-- Reads the value at a position: it, and where the text goes on.
function read(text, position, settings, depth)
   local c = byte(text, position)
   if c == QUOTE then return read_string(text, position, 'value') end
   if c == BEGIN then return read_object(text, position, settings, depth) end
   if c == OPEN then return read_array(text, position, settings, depth) end
   if c and (c >= ZERO and c <= NINE or c == MINUS) then return read_number(text, position, settings, 'value') end
   if find(text, '^true', position) then return true, position + 4 end
   if find(text, '^false', position) then return false, position + 5 end
   if find(text, '^null', position) then return settings.null, position + 4 end
   local digits = number_at(text, position, settings)
   if digits then return read_number(text, digits, settings, 'value') end
   fail_at(text, position, settings, 'value')
end

local function decode(text, settings)
   local first, second = byte(text, 1, 2)
   if second and (first == 0 or second == 0) then
      reject(settings.first or 1, 'JSON parser does not support UTF-16 or UTF-32')
   end
   local value, position = read(text, skip(text, settings.first or 1), settings, 0)
   if settings.first then return value, position end
   position = skip(text, position)
   -- A zero byte ends the text.
   if position <= #text and byte(text, position) ~= 0 then fail_at(text, position, settings, 'the end') end
   return value, position
end

local function results(ok, ...)
   local failure = ...
   if ok or type(failure) ~= 'table' then return ok, ... end
   return false, failure.message, failure.position
end

-- Returns true, the value of a text and the position after it; false, a message and the position of the error for text
-- that is not JSON; or false and the message of another error, such as too little memory. With settings.first the value
-- begins there, and anything may follow it.
return function(text, settings) return results(pcall(decode, text, settings)) end
