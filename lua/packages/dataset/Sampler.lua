-- dataset.Sampler(kind, index [, distribution]): a function that draws an item and its label, and one that restarts it.
-- The first returns nothing once after each pass over all items, where the kind has passes.

local torch = require 'torch'
local check = require 'torch.base.check'

local NAMES = { 'linear', 'permutation', 'uniform', 'label-uniform', 'label-distribution' }

-- Passes over all items in the order that order(count) returns.
local function passes(index, order)
   local items, at
   local function reset() items, at = order(index.itemCount), 0 end
   reset()
   return function()
      at = at + 1
      if at <= index.itemCount then return index.itemAt(items and items[at] or at) end
      reset()
   end, reset
end

local function nothing() end

-- Draws a label by draw(), and one of its items.
local function by_label(index, draw)
   return function()
      local label = draw()
      return index.itemAt(torch.random(index.itemCountForLabel(label)), label)
   end, nothing
end

-- The labels that have items here.
local function labels_with_items(index)
   local found = {}
   for _, label in ipairs(index.labels) do
      if index.itemCountForLabel(label) > 0 then found[#found + 1] = label end
   end
   if #found == 0 then check.fail('Sampler', 'the items have no labels') end
   return found
end

local kinds = {}

function kinds.linear(index) return passes(index, nothing) end

function kinds.permutation(index) return passes(index, torch.randperm) end

function kinds.uniform(index) return function() return index.itemAt(torch.random(index.itemCount)) end, nothing end

kinds['label-uniform'] = function(index)
   local labels = labels_with_items(index)
   return by_label(index, function() return labels[torch.random(#labels)] end)
end

-- `distribution` has a weight for each label; those that it leaves out are not drawn.
kinds['label-distribution'] = function(index, distribution)
   check.kind('Sampler', 'distribution', distribution, 'table')
   local labels = labels_with_items(index)
   local weights = torch.DoubleTensor(#labels)
   for i, label in ipairs(labels) do
      weights[i] = check.number('Sampler', 'weight of ' .. label, distribution[label] or 0)
   end
   for label in pairs(distribution) do
      if not index.labelIndex[label] then check.fail('Sampler', 'there is no label %s', check.describe(label)) end
   end
   if not (weights:min() >= 0 and weights:sum() > 0 and weights:sum() < math.huge) then
      check.fail('Sampler', 'weights must be at least 0, with a positive sum')
   end
   return by_label(index, function() return labels[torch.multinomial(weights, 1)[1]] end)
end

return function(kind, index, distribution)
   return kinds[check.one_of('Sampler', 'samplerKind', kind or 'linear', NAMES)](index, distribution)
end
