-- find, match, gmatch and gsub: Lua's patterns over the code points of a string.

local concat, find, sub = table.concat, string.find, string.sub
local check, pattern_matcher = require 'torch.base.check', require 'lua-utf8.pattern_matcher'

local CARET = string.byte '^'

return function(utf8, split, range, text_of)

   local matcher, search, malformed = pattern_matcher(split)

   local function piece(m, from, length) return concat(m.pieces, '', from, from + length - 1) end

   -- The captures, or the whole match if there are none and `whole` asks for it.
   local function captures(m, from, after, whole)
      local out = {}
      for i, capture in ipairs(m.captures) do
         if capture[2] == 'open' then malformed(m.name, 'unfinished capture') end
         out[i] = capture[2] == 'position' and capture[1] or piece(m, capture[1], capture[2])
      end
      if whole and #out == 0 then out[1] = piece(m, from, after - from) end
      return out
   end

   function utf8.find(s, pattern, init, plain)
      s = text_of('find', s)
      local m = matcher('find', s, pattern)
      local i = range(#m.subject, init)
      if i > #m.subject + 1 then return nil end
      if plain then
         local offset = #concat(m.pieces, '', 1, i - 1)
         local from = find(s, pattern, offset + 1, true)
         if not from then return nil end
         local before = #(split(sub(s, 1, from - 1)))
         return before + 1, before + #m.pattern
      end
      local from, after = search(m, i)
      if not from then return nil end
      return from, after - 1, unpack(captures(m, from, after))
   end

   function utf8.match(s, pattern, init)
      local m = matcher('match', text_of('match', s), pattern)
      local i = range(#m.subject, init)
      local from, after = search(m, i)
      if from then return unpack(captures(m, from, after, true)) end
   end

   function utf8.gmatch(s, pattern)
      local m, i = matcher('gmatch', text_of('gmatch', s), pattern), 1
      return function()
         if i > #m.subject + 1 then return nil end
         local from, after = search(m, i)
         if not from then
            i = #m.subject + 2
            return nil
         end
         i = after > from and after or after + 1
         return unpack(captures(m, from, after, true))
      end
   end

   -- The replacement of a match: by a string with %0 to %9, a table or a function.
   local function replacement(m, from, after, repl)
      local whole, list = piece(m, from, after - from), captures(m, from, after, true)
      local value
      if type(repl) == 'function' then
         value = repl(unpack(list))
      elseif type(repl) == 'table' then
         value = repl[list[1]]
      else
         return (string.gsub(tostring(repl), '%%(.)', function(c)
            if c == '0' then return whole end
            if find(c, '%d') then
               if list[c + 0] == nil then malformed(m.name, 'invalid capture index in the replacement') end
               return tostring(list[c + 0])
            end
            return c
         end))
      end
      if value == nil or value == false then return whole end
      if type(value) ~= 'string' and type(value) ~= 'number' then
         check.argument_error('utf8.gsub', 'the replacement', 'a string or a number', value)
      end
      return tostring(value)
   end

   function utf8.gsub(s, pattern, repl, max_count)
      local m = matcher('gsub', text_of('gsub', s), pattern)
      if repl == nil then check.argument_error('utf8.gsub', 'argument 3', 'a string, a table or a function', repl) end
      local out, i, count = {}, 1, 0
      while i <= #m.subject + 1 and (not max_count or count < max_count) do
         local from, after = search(m, i)
         if not from then break end
         out[#out + 1] = piece(m, i, from - i)
         out[#out + 1] = replacement(m, from, after, repl)
         count = count + 1
         if after > from then
            i = after
         else
            out[#out + 1] = m.pieces[from] or ''
            i = from + 1
         end
         if m.pattern[1] == CARET then break end
      end
      out[#out + 1] = piece(m, i, #m.subject - i + 1)
      return concat(out), count
   end
end
