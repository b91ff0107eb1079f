-- dataset.Sampler(kind, index [, label [, options]]): a function that draws an item and its label, and one that
-- restarts it. Where the kind has passes, the first returns nothing after one until it is restarted.

local torch = require 'torch'
local check = require 'torch.base.check'

local NAMES = { 'linear', 'permutation', 'uniform', 'label-uniform', 'label-distribution', 'label-permutation' }

local function nothing() end

-- A permutation of n whose first two elements are not both those of the last one.
local function new_permutation(n, last)
   local order = torch.randperm(n)
   while last and n >= 2 and order[1] == last[1] and order[2] == last[2] do order = torch.randperm(n) end
   return order
end

local kinds = {}

function kinds.linear(index, label)
   local count, at = index.itemCount(label), 0
   return function()
      at = at + 1
      if at <= count then return index.itemAt(at, label) end
   end, function() at = 0 end
end

function kinds.permutation(index, label)
   local count, at = index.itemCount(label), 0
   local order = new_permutation(count)
   return function()
      at = at + 1
      if at <= count then return index.itemAt(order[at], label) end
   end, function() order, at = new_permutation(count, order), 0 end
end

function kinds.uniform(index, label)
   return function() return index.itemAt(torch.random(1, index.itemCount(label)), label) end, nothing
end

-- Draws a label by draw(), and one of its items.
local function by_label(index, draw)
   return function()
      local label = draw()
      return index.itemAt(torch.random(1, index.itemCount(label)), label)
   end, nothing
end

-- The labels that have items here.
local function labels_with_items(index)
   local found = {}
   for _, label in ipairs(index.labels) do
      if index.itemCount(label) > 0 then found[#found + 1] = label end
   end
   if #found == 0 then check.fail('Sampler', 'the items have no labels') end
   return found
end

kinds['label-uniform'] = function(index)
   local labels = labels_with_items(index)
   return by_label(index, function() return labels[torch.random(1, #labels)] end)
end

-- `options` has a weight for each label; with autoFill those without one have defaultWeight, or 1.
kinds['label-distribution'] = function(index, _, options)
   check.kind('Sampler', 'the distribution', options, 'table')
   local labels, weights = labels_with_items(index), {}
   for label in pairs(options) do
      if label ~= 'autoFill' and label ~= 'defaultWeight' and not index.labelIndex[label] then
         check.fail('Sampler', 'there is no label %s', check.describe(label))
      end
   end
   for i, label in ipairs(labels) do
      local weight = options[label]
      if weight == nil and options.autoFill then weight = options.defaultWeight or 1 end
      weights[i] = check.number('Sampler', 'the weight of ' .. label, weight)
   end
   weights = torch.Tensor(weights)
   if not (weights:min() >= 0 and weights:sum() > 0 and weights:sum() < math.huge) then
      check.fail('Sampler', 'weights must be at least 0, with a positive sum')
   end
   return by_label(index, function() return labels[torch.multinomial(weights, 1)[1]] end)
end

-- Labels by permutations of them, and the items of each by permutations of these.
kinds['label-permutation'] = function(index)
   local labels, at, order = labels_with_items(index), 0, nil
   local orders, places = {}, {}
   return function()
      at = at % #labels
      if at == 0 then order = new_permutation(#labels, order) end
      at = at + 1
      local k = order[at]
      local count = index.itemCount(labels[k])
      local place = (places[k] or 0) % count
      if place == 0 then orders[k] = new_permutation(count, orders[k]) end
      places[k] = place + 1
      return index.itemAt(orders[k][places[k]], labels[k])
   end, nothing
end

return function(kind, index, label, options)
   return kinds[check.one_of('Sampler', 'samplerKind', kind or 'uniform', NAMES)](index, label, options)
end
