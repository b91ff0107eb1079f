-- lua-utf8: the functions of strings, for characters of UTF-8 instead of bytes. Bytes that are not UTF-8 count as a
-- character each.

local byte, concat, sub = string.byte, table.concat, string.sub
local ipairs, select, tonumber, type, unpack = ipairs, select, tonumber, type, unpack
local check, encode_utf8 = require 'torch.base.check', require 'torch.utility.encode_utf8'
local host = require('torch.native.host').of 'text'

local utf8 = { charpattern = '[%z\1-\127\194-\244][\128-\191]*' }

local function text_of(name, value)
   if type(value) == 'number' then return tostring(value) end
   return check.kind('utf8.' .. name, 'argument 1', value, 'string')
end

-- The bytes of a code point.
local function encode(name, point)
   return encode_utf8(check.integer('utf8.' .. name, 'code point', point, 0, 0x10FFFF))
end

local FIRST = { 0, 0x80, 0x800, 0x10000 }     -- the first code point of each number of bytes

-- The code point at a byte and how many bytes it has; nil and 1 if there is none.
local function decode(s, i)
   local first = byte(s, i)
   if first < 0x80 then return first, 1 end
   local count = first >= 0xF0 and 4 or first >= 0xE0 and 3 or 2
   if first < 0xC2 or first > 0xF4 then return nil, 1 end
   local point = first - (count == 4 and 0xF0 or count == 3 and 0xE0 or 0xC0)
   for k = 1, count - 1 do
      local more = byte(s, i + k)
      if not more or more < 0x80 or more > 0xBF then return nil, 1 end
      point = point * 64 + more - 0x80
   end
   if point < FIRST[count] or point > 0x10FFFF or point >= 0xD800 and point < 0xE000 then return nil, 1 end
   return point, count
end

-- The characters of a string: code points, minus 1 - byte if there is none, and the strings of each.
local function split(s)
   local points, pieces, i = {}, {}, 1
   while i <= #s do
      local point, count = decode(s, i)
      points[#points + 1], pieces[#pieces + 1] = point or -1 - byte(s, i), sub(s, i, i + count - 1)
      i = i + count
   end
   return points, pieces
end

-- From and to as string.sub takes them.
local function range(count, i, j)
   i, j = tonumber(i) or 1, tonumber(j) or -1
   if i < 0 then i = count + i + 1 end
   if j < 0 then j = count + j + 1 end
   return i < 1 and 1 or i, j > count and count or j
end

function utf8.char(...)
   local out = {}
   for i = 1, select('#', ...) do out[i] = encode('char', (select(i, ...))) end
   return concat(out)
end

-- The number of characters between two bytes; nil and the byte where something is not UTF-8.
function utf8.len(s, i, j, lax)
   s = text_of('len', s)
   i, j = range(#s, i, j)
   local count = 0
   while i <= j do
      local point, bytes = decode(s, i)
      if not point and not lax then return nil, i end
      count, i = count + 1, i + bytes
   end
   return count
end

function utf8.sub(s, i, j)
   local _, pieces = split(text_of('sub', s))
   i, j = range(#pieces, i, j)
   return i > j and '' or concat(pieces, '', i, j)
end

-- Code points of characters i to j.
function utf8.byte(s, i, j)
   local points = split(text_of('byte', s))
   i, j = range(#points, i or 1, j or i or 1)
   return unpack(points, i, j)
end

-- Code points of the characters that begin at bytes i to j.
function utf8.codepoint(s, i, j)
   s = text_of('codepoint', s)
   i, j = range(#s, i or 1, j or i or 1)
   local out = {}
   while i <= j do
      local point, bytes = decode(s, i)
      if not point then check.fail('utf8.codepoint', 'byte %d is not UTF-8', i) end
      out[#out + 1], i = point, i + bytes
   end
   return unpack(out)
end

-- for byte index, code point in utf8.codes(s) do.
function utf8.codes(s)
   s = text_of('codes', s)
   local i = 1
   return function()
      if i > #s then return nil end
      local point, bytes = decode(s, i)
      if not point then check.fail('utf8.codes', 'byte %d is not UTF-8', i) end
      i = i + bytes
      return i - bytes, point
   end
end

-- The byte at which character n begins, counted from the one that begins at byte `at`: the first, or the end of s
-- for n < 0. For n = 0 it is where the character of byte `at` begins.
function utf8.offset(s, n, at)
   s, n = text_of('offset', s), check.integer('utf8.offset', 'n', n)
   at = check.integer('utf8.offset', 'position', at or n >= 0 and 1 or #s + 1)
   if at < 0 then at = #s + at + 1 end
   check.index('utf8.offset', 'position', at, #s + 1)
   local _, pieces = split(s)
   local starts, place = { 1 }, nil
   for i, piece in ipairs(pieces) do starts[i + 1] = starts[i] + #piece end
   for i, start in ipairs(starts) do
      if start <= at then place = i end
   end
   if n == 0 then return starts[place] end
   if starts[place] ~= at then check.fail('utf8.offset', 'byte %d is within a character', at) end
   return starts[n > 0 and place + n - 1 or place + n]
end

function utf8.reverse(s)
   local _, pieces = split(text_of('reverse', s))
   local out = {}
   for i, piece in ipairs(pieces) do out[#pieces - i + 1] = piece end
   return concat(out)
end

for _, name in ipairs { 'lower', 'upper', 'title', 'fold' } do
   -- Of a string, or of a code point.
   utf8[name] = function(s)
      if type(s) == 'number' then
         return host.case_of_point(name, check.integer('utf8.' .. name, 'code point', s, 0, 0x10FFFF))
      end
      return host.case(name, text_of(name, s))
   end
end

-- -1, 0 or 1 by the order of two strings without regard to the case of letters.
function utf8.ncasecmp(a, b)
   a, b = utf8.fold(a), utf8.fold(b)
   return a < b and -1 or a > b and 1 or 0
end

-- Cells of a terminal.
function utf8.width(s)
   local total = 0
   for _, point in ipairs((split(text_of('width', s)))) do total = total + (point >= 0 and host.width(point) or 1) end
   return total
end

-- insert(s, [at,] part) before character `at`, at the end without it, for 0 and beyond the end; remove(s, i, j) without
-- characters i to j.
function utf8.insert(s, at, part)
   local _, pieces = split(text_of('insert', s))
   if part == nil then at, part = #pieces + 1, at end
   check.kind('utf8.insert', 'part', part, 'string')
   at = check.integer('utf8.insert', 'at', at)
   if at < 0 then at = math.max(#pieces + at + 1, 1) end
   if at == 0 or at > #pieces then at = #pieces + 1 end
   table.insert(pieces, at, part)
   return concat(pieces)
end

function utf8.remove(s, i, j)
   local _, pieces = split(text_of('remove', s))
   i, j = range(#pieces, i or -1, j or -1)
   if i > j then return s end
   return concat(pieces, '', 1, i - 1) .. concat(pieces, '', j + 1)
end

require 'lua-utf8.patterns' (utf8, split, range, text_of)
require 'lua-utf8.positions' (utf8, encode, decode, split, text_of)

for _, name in ipairs { 'rep', 'format' } do utf8[name] = string[name] end

return utf8
