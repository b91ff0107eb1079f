-- Functions that the table library gets: splice and prune.

local table = _G.table

return function()
   -- Cuts `length` elements (1 by default) out of a list from `start` (1 by default) on. Returns two new lists: the
   -- rest and the elements that were cut out.
   function table.splice(list, start, length)
      local rest, removed = {}, {}
      start = start or 1
      local stop = start + (length or 1)
      for i = 1, #list do
         local to = i >= start and i < stop and removed or rest
         to[#to + 1] = list[i]
      end
      return rest, removed
   end

   -- Lists the elements of a list without doubles: those for which `hash`, by default the element itself, is the same.
   -- The last of them stays, at the index of the first.
   function table.prune(list, hash)
      local index_of, kept = {}, {}
      for i = 1, #list do
         local key = list[i]
         if hash then key = hash(key) end
         if not index_of[key] then index_of[key] = #kept + 1 end
         kept[index_of[key]] = list[i]
      end
      return kept
   end
end
