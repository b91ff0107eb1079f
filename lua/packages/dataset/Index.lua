-- dataset.Index(source [, {partition=, partitions=}]): the items of a source by number, and by label and number.
-- With `partitions` each of that number of processes has different items, and all have the same labels.

local torch = require 'torch'
local check = require 'torch.base.check'
local sources = require 'dataset.sources'

-- Labels in their order: as numbers where all of them are, else as text.
local function in_order(labels)
   local list, numeric = {}, true
   for label in pairs(labels) do
      table.insert(list, label)
      numeric = numeric and tonumber(label) ~= nil
   end
   local key = numeric and tonumber or tostring
   table.sort(list, function(a, b) return key(a) < key(b) end)
   return list
end

return function(source, options)
   options = check.kind('dataset', 'options', options or {}, 'table')
   local partitions = check.size('dataset', 'partitions', options.partitions or 1)
   local partition = check.index('dataset', 'partition', options.partition or 1, partitions)
   local items, labels_of = sources.read(source)
   local is_tensor = torch.isTensor(items)
   local seen, of_label, positions = {}, {}, {}
   for i = 1, is_tensor and items:size(1) or #items do
      local mine = i % partitions == partition % partitions
      if mine then table.insert(positions, i) end
      for _, label in ipairs(labels_of and labels_of[i] or {}) do
         if type(label) ~= 'number' and type(label) ~= 'string' or label ~= label then
            check.argument_error('dataset', 'label ' .. i, 'a number or text', label)
         end
         seen[label] = true
         of_label[label] = of_label[label] or {}
         if mine then table.insert(of_label[label], i) end
      end
   end
   if #positions == 0 then check.fail('dataset', 'no samples in %s', check.describe(source)) end

   local index = { itemCount = #positions, labels = in_order(seen), labelIndex = {}, isTensor = is_tensor }
   for i, label in ipairs(index.labels) do index.labelIndex[label] = i end

   local function samples_of(label)
      return of_label[label] or check.fail('dataset', 'there is no label %s', check.describe(label))
   end

   -- An item and its label: the i-th of all, or of those with a label.
   function index.itemAt(i, label)
      local list = label == nil and positions or samples_of(label)
      local at = list[check.index('itemAt', 'argument 1', i, #list)]
      if label == nil and labels_of then label = labels_of[at][1] end
      return items[at], label
   end

   function index.itemCountForLabel(label) return #samples_of(label) end

   return index
end
