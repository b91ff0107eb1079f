-- Finds the known name closest to a misspelt one.

local byte = string.byte

local spelling = {}

-- Counts the letters to insert, delete, replace or transpose (Damerau-Levenshtein).
local function distance(a, b)
   local before_last, last = nil, {}
   for j = 0, #b do last[j] = j end
   for i = 1, #a do
      local row = { [0] = i }
      for j = 1, #b do
         local cost = byte(a, i) == byte(b, j) and 0 or 1
         row[j] = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
         if before_last and byte(a, i) == byte(b, j - 1) and byte(a, i - 1) == byte(b, j) then
            row[j] = math.min(row[j], before_last[j - 2] + 1)
         end
      end
      before_last, last = last, row
   end
   return last[#b]
end

-- Returns the nearest of a set of names, nil if none is near: one letter, or two of long names.
function spelling.nearest(name, list)
   -- Array indices have no similar names.
   if type(name) ~= 'string' then return nil end
   local best, best_distance = nil, #name >= 8 and 2 or 1
   if #name < 3 then return nil end
   for other in pairs(list) do
      local difference = type(other) == 'string' and #other - #name
      if difference and other ~= name and difference <= 2 and difference >= -2 then
         local steps = string.lower(other) == string.lower(name) and 0.5 or distance(name, other)
         if steps < best_distance or steps == best_distance and (not best or other < best) then
            best, best_distance = other, steps
         end
      end
   end
   return best
end

return spelling
