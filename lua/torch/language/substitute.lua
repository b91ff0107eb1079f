-- string.gsub in Lua, for replacements that run code of the program.

local concat, find, format, sub = table.concat, string.find, string.format, string.sub
local error, pcall, select, type = error, pcall, select, type

-- Returns where the next match is, its captures or its text, and whether there is none.
local function matched(s, ok, first, last, ...)
   if not ok then error(first, 3) end
   if not first or select('#', ...) > 0 then return first, last, ... end
   return first, last, sub(s, first, last)
end

local function replacement(value, ...)
   if type(value) == 'function' then return value(...) end
   return value[(...)]
end

-- Returns the pieces of a match: where it begins and ends, and what the program gives for it.
local function replaced(repl, first, last, ...)
   if not first then return nil end
   return first, last, replacement(repl, ...)
end

-- As string.gsub(s, pattern, repl, max_count), whose arguments are of the right kinds.
return function(s, pattern, repl, max_count)
   local pieces, n, count, at, anchored = {}, 0, 0, 1, sub(pattern, 1, 1) == '^'
   local from = 1                         -- the first byte that is not among the pieces
   while max_count - count >= 1 and at <= #s + 1 do
      local first, last, value = replaced(repl, matched(s, pcall(find, s, pattern, at)))
      if not first then break end
      count = count + 1
      if value then
         local kind = type(value)
         if kind ~= 'string' and kind ~= 'number' then error(format('invalid replacement value (a %s)', kind), 2) end
         pieces[n + 1], pieces[n + 2] = sub(s, from, first - 1), value
         n, from = n + 2, last + 1
      end
      if anchored then break end
      at = last >= first and last + 1 or first + 1
   end
   pieces[n + 1] = sub(s, from)
   return concat(pieces), count
end
