-- dataset.Index(source [, {partition=, partitions=, shuffle=, perm=}]): the items of a source by number, and by label
-- and number. With `partitions` each of that number of processes has different items, and all have the same labels.

local torch = require 'torch'
local check = require 'torch.base.check'
local sources = require 'dataset.sources'

-- Labels in their order, numbers before words.
local function in_order(labels)
   local list = {}
   for label in pairs(labels) do table.insert(list, label) end
   table.sort(list, function(a, b)
      if type(a) == type(b) then return a < b end
      return type(a) == 'number'
   end)
   return list
end

-- Whether the k-th of the items belongs to this partition; files are counted for each label.
local function chooser(options, is_list)
   local partitions = check.size('dataset', 'partitions', options.partitions or 1)
   local partition = check.index('dataset', 'partition', options.partition or 1, partitions)
   local rest = is_list and partition % partitions or partition - 1
   return function(k) return k % partitions == rest end
end

-- Lists of the places of items: of all in the order of `order`, and of each label.
local function place(order, labels_of, is_mine, by_label)
   local all, of_label, seen = {}, {}, {}
   for k, i in ipairs(order) do
      local labels = labels_of and labels_of[i] or {}
      if not by_label and is_mine(k) then all[#all + 1] = { i, labels[1] } end
      for _, label in ipairs(labels) do
         if type(label) ~= 'number' and type(label) ~= 'string' or label ~= label then
            check.argument_error('dataset', 'label ' .. i, 'a number or text', label)
         end
         of_label[label], seen[label] = of_label[label] or {}, (seen[label] or 0) + 1
         if is_mine(by_label and seen[label] or k) then table.insert(of_label[label], i) end
      end
   end
   return all, of_label
end

-- The order of `count` items, in which they are divided among partitions.
local function order_of(count, options)
   local order, permutation = {}, options.shuffle and (options.perm or torch.randperm(count))
   if permutation and not torch.isTensor(permutation) then check.kind('dataset', 'perm', permutation, 'table') end
   for i = 1, count do
      order[i] = permutation and check.index('dataset', 'perm[' .. i .. ']', permutation[i], count) or i
   end
   return order
end

-- Adds files to a list of all items: label by label, and at the end those without one.
local function add_files(all, order, labels, of_label, labels_of, is_mine)
   for _, label in ipairs(labels) do
      for _, i in ipairs(of_label[label]) do all[#all + 1] = { i, label } end
   end
   local count = 0
   for _, i in ipairs(order) do
      if #labels_of[i] == 0 then
         count = count + 1
         if is_mine(count) then all[#all + 1] = { i, '' } end
      end
   end
end

return function(source, options)
   options = check.kind('dataset', 'options', options or {}, 'table')
   local items, labels_of, extents = sources.read(source)
   local is_tensor, are_files = torch.isTensor(items), extents ~= nil
   local order = order_of(is_tensor and items:size(1) or #items, options)
   local is_mine = chooser(options, not are_files)
   local all, of_label = place(order, labels_of, is_mine, are_files)

   local index = { labels = in_order(of_label), labelIndex = {}, isTensor = is_tensor,
      indexType = is_tensor and 'Tensor' or 'Directory', urlPrefix = type(source) == 'string' and source or nil }
   for i, label in ipairs(index.labels) do index.labelIndex[label] = i end
   if are_files then add_files(all, order, index.labels, of_label, labels_of, is_mine) end
   if #all == 0 then check.fail('dataset', 'no samples in %s', check.describe(source)) end

   local function samples_of(label)
      return of_label[label] or check.fail('dataset', 'there is no label %s', check.describe(label))
   end

   -- The number of all items, or of those with a label.
   function index.itemCount(label) return label == nil and #all or #samples_of(label) end

   -- An item and its label: the i-th of all, or of those with a label. Of a part of a file also where it is.
   function index.itemAt(i, label)
      check.index('itemAt', 'argument 1', i, index.itemCount(label))
      local at
      if label == nil then at, label = all[i][1], all[i][2] else at = samples_of(label)[i] end
      local extent = extents and extents[at]
      if extent then return items[at], label, extent[1], extent[2] end
      return items[at], label
   end

   index.itemCountForLabel = index.itemCount
   return index
end
