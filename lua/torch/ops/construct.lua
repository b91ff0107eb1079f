-- Tensors made from numbers and from other tensors.

local function sized(name, value)
   local last = value and ', ' .. value or ''
   return {
      { 'torch.' .. name .. '([res,] rows, columns, ...' .. last .. ')',
        'res:' .. name .. '(rows, columns, ...' .. last .. ')' },
      { 'torch.' .. name .. '([res,] sizes' .. last .. ')', 'res:' .. name .. '(sizes' .. last .. ')' },
   }
end

return {
   { 'zeros', custom = 'create.zeros', sizes = true,
      doc = 'A tensor of the given sizes, all 0.', signatures = sized 'zeros', example = [[
         torch.zeros(2, 3)
         torch.zeros(torch.LongStorage{2, 2}):size(1)]] },
   { 'ones', custom = 'create.ones', sizes = true,
      doc = 'A tensor of the given sizes, all 1.', signatures = sized 'ones', example = [[
         torch.ones(2, 2)
         torch.ones(3, 'torch.IntTensor'):type()]] },
   { 'full', custom = 'create.full', sizes = true, added = true,
      doc = 'A tensor of the given sizes, all of them the last number; sizes may be a table, too.',
      signatures = sized('full', 'value'), example = [[
         torch.full(2, 3, 7)
         torch.full({2}, 0.5)]] },
   { 'range', { '[r] v v [v=1]', 'create.range' },
      doc = 'A vector of the numbers first, first + step, ... up to last, or down to it with a negative step.',
      args = 'first last step', example = [[
         torch.range(2, 5)
         torch.range(1, 0, -0.5)]] },
   { 'arange', { '[r] v', 'create.arange', { first = 0 } }, { '[r] v v [v=1]', 'create.arange', {} }, added = true,
      doc = 'A vector of the numbers first, first + step, ... before last, which is not one of them, as in NumPy; '
         .. 'first is 0 where it is left out. `range` includes last.',
      args = { 'last', 'first last step' }, example = [[
         torch.arange(3)
         torch.arange(1, 2, 0.5)]] },
   { 'linspace', { '[r] v v [n=100]', 'create.linspace' }, types = 'real',
      doc = 'A vector of n numbers evenly spaced from first to last, both included.',
      args = 'first last n', example = 'torch.linspace(0, 1, 5)' },
   { 'logspace', { '[r] v v [n=100]', 'create.logspace' }, types = 'real',
      doc = 'A vector of n numbers evenly spaced on a logarithmic scale from 10^first to 10^last, both included.',
      args = 'first last n', example = 'torch.logspace(0, 2, 3)' },
   { 'eye', { '[r] n [n]', 'create.eye' },
      doc = 'A matrix with 1 on its diagonal and 0 elsewhere, square where the columns are left out.',
      args = 'rows columns', example = [[
         torch.eye(2)
         torch.eye(2, 3)]] },
   { 'diag', { '[R] t [n=0]', 'create.diag' },
      doc = 'The k-th diagonal of a matrix as a vector, or a matrix with a vector on its k-th diagonal; positive k are '
         .. 'above the main one, negative k below.', args = 'k', example = [[
         torch.diag(torch.Tensor{{1, 2}, {3, 4}})
         torch.diag(torch.Tensor{5, 6}, 1)]] },
   { 'tril', { '[R] t [n=0]', 'create.triangle', { lower = true } },
      doc = 'The elements on and below the k-th diagonal of a matrix, 0 elsewhere.',
      args = 'k', example = [[
         torch.tril(torch.ones(3, 3))
         torch.tril(torch.ones(3, 3), -1)]] },
   { 'triu', { '[R] t [n=0]', 'create.triangle', {} },
      doc = 'The elements on and above the k-th diagonal of a matrix, 0 elsewhere.',
      args = 'k', example = [[
         torch.triu(torch.ones(3, 3))
         torch.triu(torch.ones(3, 3), 1)]] },
   { 'cat', { '[R] t t [d]', 'join.cat_two' }, { '[R] T [d]', 'join.cat_list' },
      doc = 'Tensors put one after the other along a dimension, by default the last; other sizes must agree.',
      args = { 'x y dim', 'tensors dim' }, example = [[
         torch.cat(torch.ones(1, 2), torch.zeros(1, 2), 1)
         torch.cat({torch.ones(1, 2), torch.zeros(1, 2), torch.ones(1, 1)}, 2)]] },
   { 'stack', { '[R] t t [d=1]', 'join.stack_two' }, { '[R] T [d=1]', 'join.stack_list' }, added = true,
      doc = 'Tensors of the same sizes side by side along a new dimension, by default the first.',
      args = { 'x y dim', 'tensors dim' }, example = [[
         torch.stack({torch.Tensor{1, 2}, torch.Tensor{3, 4}})
         torch.stack(torch.Tensor{1, 2}, torch.Tensor{3, 4}, -1)]] },
   { 'flatten', { 't [d=1] [d=-1]', 'shape_ops.flatten' }, types = 'all', added = true,
      doc = 'The elements as a vector, or with the dimensions from first to last as one; a view where the elements '
         .. 'lie in order, else a copy.', args = 'first last', example = [[
         torch.Tensor{{1, 2}, {3, 4}}:flatten()
         torch.zeros(2, 3, 4):flatten(2):size(2)]] },
   { 'shape', { 't [d]', 'shape_ops.shape' }, types = 'all', added = true,
      doc = 'The sizes in a LongStorage, or the size of a dimension, as x:size() gives them.',
      example = [[
         x = torch.zeros(2, 3)
         x:shape()
         x:shape(-1)]] },
   { 'item', { 't', 'shape_ops.item' }, types = 'all', added = true,
      doc = 'The only element as a number; an error where there are more, or none.',
      example = 'torch.Tensor{{5}}:item()' },
}
