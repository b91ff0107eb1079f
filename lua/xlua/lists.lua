-- Functions that the table library gets: splice and prune.

local pairs, table = pairs, _G.table

return function()
   -- Cuts `length` elements out of a list from `start` on (all that follow by default). Returns two new lists: what
   -- stays and what was cut out.
   function table.splice(list, start, length)
      local rest, removed = {}, {}
      local stop = length and start + length or #list + 1
      for i = 1, #list do
         local to = i >= start and i < stop and removed or rest
         to[#to + 1] = list[i]
      end
      return rest, removed
   end

   -- The elements of a list without doubles. Those for which `hash` gives the same are doubles; the last one stays.
   function table.prune(list, hash)
      local last, kept = {}, {}
      for i = 1, #list do
         last[hash and hash(list[i]) or list[i]] = list[i]
      end
      for _, value in pairs(last) do kept[#kept + 1] = value end
      return kept
   end
end
