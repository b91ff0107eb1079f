-- Loops over labels, whatever the element type: lists of entries { n = size, a = stride, b = stride, c = stride }, with
-- the strides of two operands and of a result, 0 where a label is not there.

local ipairs = ipairs
local sort = table.sort

local entries = {}

-- Sorts entries by one of the fields, the largest first.
function entries.sorted(list, key)
   for k, entry in ipairs(list) do entry.place = k end
   sort(list, function(p, q)
      if p[key] ~= q[key] then return p[key] > q[key] end
      return p.place < q.place
   end)
   return list
end

local function nests(outer, inner, key) return outer[key] == inner[key] * inner.n end

-- Makes one entry of neighbours that follow each other in all three.
function entries.merged(given)
   local list = {}
   for _, entry in ipairs(given) do
      local last = list[#list]
      if last and last.kind == entry.kind and nests(last, entry, 'a') and nests(last, entry, 'b')
         and nests(last, entry, 'c') then
         list[#list] = { n = last.n * entry.n, a = entry.a, b = entry.b, c = entry.c, kind = entry.kind }
      else
         list[#list + 1] = entry
      end
   end
   return list
end

-- Tells whether all entries are one run for an operand.
function entries.is_run(list, key)
   for k = 2, #list do
      if not nests(list[k - 1], list[k], key) then return false end
   end
   return true
end

-- A field of all entries.
function entries.column(list, key)
   local values = {}
   for k, entry in ipairs(list) do values[k] = entry[key] end
   return values
end

-- How many elements entries go through.
function entries.count(list)
   local n = 1
   for _, entry in ipairs(list) do n = n * entry.n end
   return n
end

-- Two lists in one.
function entries.joined(first, second)
   local all = {}
   for _, list in ipairs { first, second } do
      for _, entry in ipairs(list) do all[#all + 1] = entry end
   end
   return all
end

return entries
