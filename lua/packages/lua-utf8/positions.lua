-- charpos, next, widthindex and escape: characters by their bytes or cells, and by numbers in a text.

local check = require 'torch.base.check'
local host = require('torch.native.host').of 'text'

return function(utf8, encode, decode, split, text_of)

   -- The byte `count` characters after the one at byte `at`, or before it, and the code point there; nil outside of s.
   local function moved(s, at, count)
      while count > 0 and at <= #s do
         local _, bytes = decode(s, at)
         at, count = at + bytes, count - 1
      end
      if count < 0 then
         local _, pieces = split(string.sub(s, 1, at - 1))
         for i = #pieces, 1, -1 do
            if count == 0 then break end
            at, count = at - #pieces[i], count + 1
         end
      end
      if count == 0 and at >= 1 and at <= #s then return at, (decode(s, at)) or string.byte(s, at) end
   end

   local function position_of(name, s, at)
      at = check.integer('utf8.' .. name, 'position', at)
      return at < 0 and #s + at + 1 or at
   end

   -- charpos(s, n): the byte where character n begins, from the end if n is negative, and its code point.
   -- charpos(s, at, n): those of the character n characters from the one at byte `at`.
   function utf8.charpos(s, at, n)
      s = text_of('charpos', s)
      if n ~= nil then
         n, at = check.integer('utf8.charpos', 'n', n), position_of('charpos', s, at)
         return moved(s, at == 0 and (n > 0 and 1 or #s + 1) or at, n)
      end
      n = check.integer('utf8.charpos', 'n', at == nil and 1 or at)
      if n < 0 then return moved(s, #s + 1, n) end
      return moved(s, 1, n == 0 and 0 or n - 1)
   end

   -- next(s, at [, n]): the byte of the character n characters further, 1 without n, and its code point; the first
   -- without `at`, so that it iterates: for at, point in utf8.next, s do.
   function utf8.next(s, at, n)
      s = text_of('next', s)
      if at == nil then return moved(s, 1, 0) end
      return moved(s, position_of('next', s, at), n == nil and 1 or check.integer('utf8.next', 'n', n))
   end

   -- widthindex(s, cell): the number of the character at a cell of the terminal, which of its cells that is, and how
   -- many it has; beyond the end, the number after the last.
   function utf8.widthindex(s, cell)
      local points = split(text_of('widthindex', s))
      cell = check.integer('utf8.widthindex', 'cell', cell, 1)
      for i = 1, #points do
         local width = points[i] >= 0 and host.width(points[i]) or 1
         if cell <= width then return i, cell, width end
         cell = cell - width
      end
      return #points + 1
   end

   -- %123 and %u123 are the characters of decimal numbers, %x1F those of hexadecimal ones, which braces may enclose:
   -- %{123}; a % before anything else is left out.
   function utf8.escape(s)
      s = text_of('escape', s)
      local out, at = {}, 1
      while true do
         local first, _, kind, open, digits = string.find(s, '%%([ux]?)({?)(%x*)', at)
         if not first then return table.concat(out) .. string.sub(s, at) end
         out[#out + 1] = string.sub(s, at, first - 1)
         if kind ~= 'x' then digits = string.match(digits, '^%d*') end
         local last = first + #kind + #open + #digits
         if digits ~= '' and (open == '' or string.sub(s, last + 1, last + 1) == '}') then
            out[#out + 1], at = encode('escape', tonumber(digits, kind == 'x' and 16 or 10)), last + #open + 1
         else
            out[#out + 1], at = string.sub(s, first + 1, first + 1), first + 2
         end
      end
   end
end
