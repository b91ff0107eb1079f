-- The order in which einsum contracts its operands, two at a time: that of opt_einsum where it is installed, and else
-- the pair that takes most elements away comes first. It follows from labels and sizes alone.

local concat, gmatch, insert, remove = table.concat, string.gmatch, table.insert, table.remove
local ipairs, pairs, tonumber, unpack = ipairs, pairs, tonumber, unpack
local host = require 'torch.core.host'

local order = {}

local function set_of(labels)
   local set = {}
   for _, label in ipairs(labels) do set[label] = true end
   return set
end

-- The labels of the product of operands i and j: those that the output or another operand has.
function order.kept(operands, i, j, output)
   local wanted, kept = set_of(output), {}
   for k, labels in ipairs(operands) do
      if k ~= i and k ~= j then
         for _, label in ipairs(labels) do wanted[label] = true end
      end
   end
   for _, k in ipairs { i, j } do
      for _, label in ipairs(operands[k]) do
         if wanted[label] then
            kept[#kept + 1] = label
            wanted[label] = nil
         end
      end
   end
   return kept
end

local function elements(labels, sizes)
   local count = 1
   for _, label in ipairs(labels) do count = count * sizes[label] end
   return count
end

-- The labels of two lists, each once, and whether they have one in common.
local function union(a, b)
   local all, set, shares = { unpack(a) }, set_of(a), false
   for _, label in ipairs(b) do
      if set[label] then shares = true else all[#all + 1] = label end
   end
   return all, shares
end

-- Tells whether a pair comes before the best one so far: pairs with a label in common do, then those whose product is
-- smallest beside its operands, then those of the least work.
local function is_before(pair, best)
   if not best then return true end
   if pair.shares ~= best.shares then return pair.shares end
   if pair.growth ~= best.growth then return pair.growth < best.growth end
   return pair.work < best.work
end

local function best_pair(operands, output, sizes)
   local best
   for i = 1, #operands - 1 do
      for j = i + 1, #operands do
         local a, b = operands[i], operands[j]
         local all, shares = union(a, b)
         local pair = { i, j, shares = shares, work = elements(all, sizes), kept = order.kept(operands, i, j, output) }
         pair.growth = elements(pair.kept, sizes) - elements(a, sizes) - elements(b, sizes)
         if is_before(pair, best) then best = pair end
      end
   end
   return best
end

local function greedy(operands, output, sizes)
   local left, path = { unpack(operands) }, {}
   while #left > 1 do
      local pair = best_pair(left, output, sizes)
      path[#path + 1] = pair
      remove(left, pair[2])
      remove(left, pair[1])
      insert(left, pair.kept)
   end
   return path
end

local function from_host(operands, output, sizes)
   local inputs, list = {}, {}
   for i, labels in ipairs(operands) do inputs[i] = concat(labels, ' ') end
   for label, size in pairs(sizes) do list[#list + 1] = ('%.0f %.0f'):format(label, size) end
   local answer = host.contraction_order(concat(inputs, ','), concat(output, ' '), concat(list, ','))
   if not answer then return nil end
   local path = {}
   for i, j in gmatch(answer, '(%d+) (%d+)') do path[#path + 1] = { tonumber(i), tonumber(j) } end
   return path
end

-- A list of pairs of positions { i, j }, i < j: both leave the list of operands, and their product is put at its end.
function order.path(operands, output, sizes)
   if #operands < 3 then return #operands == 2 and { { 1, 2 } } or {} end
   return from_host(operands, output, sizes) or greedy(operands, output, sizes)
end

return order
