-- Which names a typed text may mean.

local byte, lower, match, sub = string.byte, string.lower, string.match, string.sub
local insert = table.insert

local SHORTEST = 2      -- letters that are looked for within names

-- The parts of a name in lower case: `spatial` and `convolution` of SpatialConvolution, `masked` and `fill` of
-- masked_fill.
local function parts_of(name)
   local parts = {}
   for letters in string.gmatch(name, '[^_%s]+') do
      for part in string.gmatch(string.gsub(letters, '%u', '\0%0'), '%Z+') do insert(parts, lower(part)) end
   end
   return parts
end

-- Tells whether a text is the beginnings of some of the parts, from part `first` on.
local function is_of(text, parts, first)
   if text == '' then return true end
   for i = first, #parts do
      local part, count = parts[i], 0
      while count < #text and byte(part, count + 1) == byte(text, count + 1) do count = count + 1 end
      for length = count, 1, -1 do
         if is_of(sub(text, length + 1), parts, i + 1) then return true end
      end
   end
   return false
end

local function among(list, is_meant)
   local found = {}
   for name in pairs(list) do
      if is_meant(name) then insert(found, name) end
   end
   table.sort(found)
   return found
end

-- Returns the names of a set that begin with what is typed, in order. If there are none, those that begin with it in
-- another case, or have parts that begin with its parts: spaconv is SpatialConvolution, and so is conv.
return function(list, typed)
   local found = among(list, function(name) return sub(name, 1, #typed) == typed end)
   if #found > 0 or typed == '' then return found end
   local small = match(lower(typed), '^_*(.*)$')
   return among(list, function(name)
      return lower(sub(name, 1, #typed)) == lower(typed) or #small >= SHORTEST and is_of(small, parts_of(name), 1)
   end)
end
