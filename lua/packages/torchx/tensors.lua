-- torch.find, torch.concat, torch.group, torch.remap, torch.treemax.

local check = require 'torch.base.check'

return function(torch)

   -- The positions of a value in a tensor, counted row by row; with the dimension 2 those in each row of a matrix.
   function torch.find(tensor, value, dim)
      check.tensor('find', 'argument 1', tensor)
      if dim and (tensor:dim() ~= 2 or dim ~= 2) then
         check.fail('find', 'a dimension is supported for matrices only, and must be 2 (got %s of a tensor of %d)',
            tostring(dim), tensor:dim())
      end
      local found, row, size = {}, {}, dim and tensor:size(2) or tensor:nElement()
      local i = 0
      tensor:contiguous():apply(function(x)
         i = i + 1
         if x == value then row[#row + 1] = i end
         if dim and i == size then
            found[#found + 1], row, i = row, {}, 0
         end
      end)
      return dim and found or row
   end

   -- Tensors concatenated along a dimension: ([result,] tensors [, dim [, index]]). The result has the type of tensor
   -- `index`.
   function torch.concat(result, tensors, dim)
      if not torch.isTensor(result) then
         local index
         tensors, dim, index = check.kind('concat', 'argument 1', result, 'table'), tensors, dim
         result = check.tensor('concat', 'each element', tensors[index or 1]).new()
      end
      check.kind('concat', 'tensors', tensors, 'table')
      check.tensor('concat', 'each element', tensors[1])
      dim = check.integer('concat', 'dimension', dim or 1, 1, 10)
      local sizes, total = tensors[1]:size():totable(), 0
      for d = #sizes + 1, dim do sizes[d] = 1 end
      for i, tensor in ipairs(tensors) do
         check.tensor('concat', 'each element', tensor)
         for d = 1, math.max(#sizes, tensor:dim()) do
            local size = d <= tensor:dim() and tensor:size(d) or 1
            if d ~= dim and size ~= sizes[d] then
               check.fail('concat', 'different sizes %s and %d in dimension %d of tensor %d', tostring(sizes[d]),
                  size, d, i)
            end
         end
         total = total + (dim <= tensor:dim() and tensor:size(dim) or 1)
      end
      sizes[dim] = total
      result:resize(torch.LongStorage(sizes))
      local first = 1
      for _, tensor in ipairs(tensors) do
         local size = dim <= tensor:dim() and tensor:size(dim) or 1
         result:narrow(dim, first, size):copy(tensor)
         first = first + size
      end
      return result
   end

   -- Groups of equal elements of a vector, by their first: { idx = positions, val = elements }, views of the sorted
   -- elements and their positions, which are also returned: ([sorted, index,] tensor [, same [, descending]]).
   function torch.group(sorted, index, tensor, same, descending)
      if not torch.isTensor(tensor) then
         tensor, same, descending, sorted, index = sorted, index, tensor, nil, nil
      end
      check.dimensions('group', 'tensor', tensor, 1, 1)
      sorted, index = sorted or tensor.new(), index or torch.LongTensor()
      check.same_type('group', 'sorted', check.tensor('group', 'sorted', sorted), tensor)
      check.same_type('group', 'index', check.tensor('group', 'index', index), torch.LongTensor())
      same = same == nil and function(a, b) return a == b end or check.callable('group', 'same', same)
      sorted:sort(index, tensor, 1, descending or false)
      local groups, first, count = {}, 1, sorted:size(1)
      for i = 2, count + 1 do
         if i > count or not same(sorted[first], sorted[i]) then
            local many = i - first
            groups[sorted[first]] = { idx = index:narrow(1, first, many), val = sorted:narrow(1, first, many) }
            first = i
         end
      end
      return groups, sorted, index
   end

   -- Calls f(x, y) for the tensors of two nested tables; where one is absent a new tensor takes its place, of the kind
   -- of p1 or p2, or of the other one.
   function torch.remap(t1, t2, f, p1, p2)
      check.callable('remap', 'argument 3', f)
      if torch.type(t1) == 'table' or torch.type(t2) == 'table' then
         local form = torch.type(t1) == 'table' and t1 or t2
         t1, t2 = t1 or {}, t2 or {}
         for i = 1, #form do t1[i], t2[i] = torch.remap(t1[i], t2[i], f, p1, p2) end
         return t1, t2
      end
      if not torch.isTensor(t1) and not torch.isTensor(t2) then
         check.fail('remap', 'arguments must be tensors or tables of them (got %s and %s)', check.describe(t1),
            check.describe(t2))
      end
      t1 = t1 or (p1 or t2).new()
      t2 = t2 or (p2 or p1 or t1).new()
      f(t1, t2)
      return t1, t2
   end

   -- The largest element of the leaf group that is reached by going, at each level of a tree, to the part with the
   -- largest mean; and its position. The sizes are how many parts each level has.
   function torch.treemax(tensor, sizes)
      check.dimensions('treemax', 'tensor', tensor, 1, 1)
      check.kind('treemax', 'sizes', sizes, 'table')
      local level, position, largest = tensor:contiguous(), 1, 0
      for i, count in ipairs(sizes) do
         check.size('treemax', 'size', count)
         if level:nElement() % count ~= 0 then
            check.fail('treemax', 'level %d: %d elements are not %d parts of one size', i, level:nElement(), count)
         end
         local parts = level:view(count, -1)
         local values = i < #sizes and parts:mean(2):view(-1) or parts:select(2, 1)
         local best, which = values:max(1)
         largest = best[1]
         position = position + (which[1] - 1) * parts:size(2)
         level = parts[which[1]]
      end
      return largest, position
   end
end
