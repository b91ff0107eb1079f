-- Matching Lua's patterns against the code points of a string: pattern_matcher(split) returns new(name, s, pattern),
-- which makes a match state, search(m, i), and malformed(name, why).

local byte, find, lower = string.byte, string.find, string.lower
local check = require 'torch.base.check'
local host = require('torch.native.host').of 'text'

local PERCENT, DOT, OPEN, CLOSE, CARET, DOLLAR, STAR, PLUS, MINUS, MARK, LEFT, RIGHT = byte('%.()^$*+-?[]', 1, 12)
local MAX_DEPTH = 200

-- Letters of classes for characters that are not ASCII, by the beginning of their category.
local CATEGORIES = { a = '^L', l = '^Ll', u = '^Lu', w = '^[LN]', d = '^Nd', s = '^Z', p = '^[PS]', c = '^C' }

local categories = {}

-- Whether a code point belongs to a class, the letter after a percent sign; another letter stands for itself.
local function in_class(point, class)
   local letter = class < 128 and string.char(class) or nil
   local plain = letter and lower(letter)
   if not plain or not find('acdglpsuwxz', plain, 1, true) then return point == class end
   local yes
   if point >= 0 and point < 128 then
      yes = find(string.char(point), '%' .. plain) ~= nil
   elseif point < 0 then
      yes = false
   else
      categories[point] = categories[point] or host.category(point)
      yes = plain == 'g' and not find(categories[point], '^[CZ]') or
         CATEGORIES[plain] ~= nil and find(categories[point], CATEGORIES[plain]) ~= nil
   end
   if letter ~= plain then return not yes end
   return yes
end

return function(split)

   local function malformed(name, why) check.fail('utf8.' .. name, 'malformed pattern (%s)', why) end

   -- The index after the single-character class that begins at k.
   local function class_end(m, k)
      local p = m.pattern
      if p[k] == PERCENT then
         if not p[k + 1] then malformed(m.name, 'ends with %') end
         return k + 2
      end
      if p[k] ~= LEFT then return k + 1 end
      k = k + 1
      if p[k] == CARET then k = k + 1 end
      repeat
         if not p[k] then malformed(m.name, 'missing ]') end
         k = k + (p[k] == PERCENT and 2 or 1)
      until p[k] == RIGHT
      return k + 1
   end

   local function in_set(p, point, k, last)
      local yes = true
      k = k + 1
      if p[k] == CARET then yes, k = false, k + 1 end
      while k < last do
         if p[k] == PERCENT then
            if in_class(point, p[k + 1]) then return yes end
            k = k + 2
         elseif p[k + 1] == MINUS and k + 2 < last then
            if p[k] <= point and point <= p[k + 2] then return yes end
            k = k + 3
         else
            if p[k] == point then return yes end
            k = k + 1
         end
      end
      return not yes
   end

   local function single(m, i, k, after)
      local point, p = m.subject[i], m.pattern
      if not point then return false end
      if p[k] == DOT then return true end
      if p[k] == PERCENT then return in_class(point, p[k + 1]) end
      if p[k] == LEFT then return in_set(p, point, k, after - 1) end
      return p[k] == point
   end

   local match

   local function with_capture(m, i, k, from, length)
      local level = #m.captures + 1
      m.captures[level] = { from, length }
      local found = match(m, i, k)
      if not found then m.captures[level] = nil end
      return found
   end

   local function close_capture(m, i, k)
      for level = #m.captures, 1, -1 do
         local capture = m.captures[level]
         if capture[2] == 'open' then
            capture[2] = i - capture[1]
            local found = match(m, i, k)
            if not found then capture[2] = 'open' end
            return found
         end
      end
      malformed(m.name, 'unexpected )')
   end

   -- %b()
   local function balanced(m, i, k)
      local open, close, depth = m.pattern[k], m.pattern[k + 1], 1
      if not close then malformed(m.name, 'missing arguments to %b') end
      if m.subject[i] ~= open then return nil end
      for j = i + 1, #m.subject do
         local point = m.subject[j]
         if point == close then
            depth = depth - 1
            if depth == 0 then return j + 1 end
         elseif point == open then
            depth = depth + 1
         end
      end
   end

   -- The index after a match of the pattern from k on, at character i.
   local function matched(m, i, k)
      local p = m.pattern
      while true do
         local c = p[k]
         if not c then return i end
         if c == OPEN then
            if p[k + 1] == CLOSE then return with_capture(m, i, k + 2, i, 'position') end
            return with_capture(m, i, k + 1, i, 'open')
         elseif c == CLOSE then
            return close_capture(m, i, k + 1)
         elseif c == DOLLAR and not p[k + 1] then
            return i == #m.subject + 1 and i or nil
         elseif c == PERCENT and p[k + 1] == 98 then
            i = balanced(m, i, k + 2)
            if not i then return nil end
            k = k + 4
         elseif c == PERCENT and p[k + 1] == 102 then
            if p[k + 2] ~= LEFT then malformed(m.name, 'missing [ after %f') end
            local after = class_end(m, k + 2)
            local before, here = m.subject[i - 1] or 0, m.subject[i] or 0
            if in_set(p, before, k + 2, after - 1) or not in_set(p, here, k + 2, after - 1) then return nil end
            k = after
         elseif c == PERCENT and p[k + 1] and p[k + 1] >= 48 and p[k + 1] <= 57 then
            local capture = m.captures[p[k + 1] - 48]
            if not capture or type(capture[2]) ~= 'number' then malformed(m.name, 'invalid capture index') end
            for d = 0, capture[2] - 1 do
               if m.subject[i + d] ~= m.subject[capture[1] + d] then return nil end
            end
            i, k = i + capture[2], k + 2
         else
            local after = class_end(m, k)
            local suffix = p[after]
            if suffix == MARK then
               if single(m, i, k, after) then
                  local found = match(m, i + 1, after + 1)
                  if found then return found end
               end
               k = after + 1
            elseif suffix == STAR or suffix == PLUS then
               local stop = i
               while single(m, stop, k, after) do stop = stop + 1 end
               for j = stop, suffix == PLUS and i + 1 or i, -1 do
                  local found = match(m, j, after + 1)
                  if found then return found end
               end
               return nil
            elseif suffix == MINUS then
               while true do
                  local found = match(m, i, after + 1)
                  if found then return found end
                  if not single(m, i, k, after) then return nil end
                  i = i + 1
               end
            else
               if not single(m, i, k, after) then return nil end
               i, k = i + 1, after
            end
         end
      end
   end

   function match(m, i, k)
      m.depth = m.depth + 1
      if m.depth > MAX_DEPTH then malformed(m.name, 'too complex') end
      local found = matched(m, i, k)
      m.depth = m.depth - 1
      return found
   end

   local function new(name, s, pattern)
      local subject, pieces = split(s)
      local points = split(check.kind('utf8.' .. name, 'pattern', pattern, 'string'))
      return { name = name, subject = subject, pieces = pieces, pattern = points, captures = {}, depth = 0 }
   end

   -- First index of the first match from character i on, and the index after it.
   local function search(m, i)
      local anchored = m.pattern[1] == CARET
      for from = i, #m.subject + 1 do
         m.captures, m.depth = {}, 0
         local after = match(m, from, anchored and 2 or 1)
         if after then return from, after end
         if anchored then return nil end
      end
   end

   return new, search, malformed
end
