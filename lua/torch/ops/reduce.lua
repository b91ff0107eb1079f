-- Reductions: to one number, or along a dimension, which stays with size 1 unless `keepdim` is false.

local add, multiply = { reduction = 'SUM' }, { reduction = 'PRODUCT' }
local largest, smallest = { largest = 1 }, { largest = 0 }

return {
   { 'sum', { 't', 'reduce_axis.sum_all' }, { '[R] t d [k]', 'reduce_axis.along', add },
      doc = 'Sum of all elements, or along a dimension.', example = [[
         x = torch.Tensor{{1, 2}, {3, 4}}
         x:sum()
         x:sum(1)
         x:sum(2)
         x:sum(2, false)]] },
   { 'prod', { 't', 'reduce_axis.prod_all' }, { '[R] t d [k]', 'reduce_axis.along', multiply },
      doc = 'Product of all elements, or along a dimension.', example = [[
         torch.prod(torch.Tensor{{1, 2}, {3, 4}})
         torch.prod(torch.Tensor{{1, 2}, {3, 4}}, 1)]] },
   { 'mean', { 't', 'reduce_axis.mean_all' }, { '[R] t d [k]', 'reduce_axis.mean_along', add }, types = 'real',
      doc = 'Mean of all elements, or along a dimension.', example = [[
         torch.mean(torch.Tensor{{1, 2}, {3, 4}})
         torch.mean(torch.Tensor{{1, 2}, {3, 4}}, 1)]] },
   { 'max', { 't', 'minmax.all', largest }, { '[R] [L] t d [k]', 'minmax.along', largest },
      doc = 'Largest element, or the largest along a dimension with their indices in a LongTensor; nan wins.',
      example = [[
         x = torch.Tensor{{1, 9}, {7, 4}}
         torch.max(x)
         torch.max(x, 1)
         torch.max(x, 1, false)]] },
   { 'min', { 't', 'minmax.all', smallest }, { '[R] [L] t d [k]', 'minmax.along', smallest },
      doc = 'Smallest element, or the smallest along a dimension with their indices in a LongTensor; nan wins.',
      example = [[
         x = torch.Tensor{{1, 9}, {7, 4}}
         torch.min(x)
         torch.min(x, 2)]] },
   { 'all', { 't', 'reduce_axis.all' }, types = 'byte',
      doc = 'Whether all elements of a ByteTensor are not 0.',
      example = 'torch.all(torch.Tensor{1, 2}:gt(0)), torch.all(torch.Tensor{1, -2}:gt(0))' },
   { 'any', { 't', 'reduce_axis.any' }, types = 'byte',
      doc = 'Whether some element of a ByteTensor is not 0.',
      example = 'torch.any(torch.Tensor{1, -2}:gt(0)), torch.any(torch.Tensor{-1, -2}:gt(0))' },
   { 'trace', { 't', 'reduce_axis.trace' },
      doc = 'Sum of the diagonal of a matrix.', example = 'torch.trace(torch.Tensor{{1, 2}, {3, 4}})' },
   { 'var', { 't [b]', 'statistics.var_all' }, { '[R] t d [b] [k]', 'statistics.var_along' }, types = 'real',
      doc = 'Variance of all elements, or along a dimension; divided by n - 1, or by n when the flag is true.',
      args = { 'x by_n', 'x dim by_n keepdim' }, example = [[
         torch.var(torch.Tensor{1, 3}), torch.var(torch.Tensor{1, 3}, true)
         torch.var(torch.Tensor{{1, 3}, {2, 6}}, 2)]] },
   { 'std', { 't [b]', 'statistics.var_all', { root = true } },
      { '[R] t d [b] [k]', 'statistics.var_along', { root = true } }, types = 'real',
      doc = 'Standard deviation of all elements, or along a dimension; by n - 1, or by n when the flag is true.',
      args = { 'x by_n', 'x dim by_n keepdim' }, example = [[
         torch.std(torch.Tensor{1, 3, 5})
         torch.std(torch.Tensor{{1, 3, 5}, {2, 6, 10}}, 2)]] },
   { 'norm', { 't [v=2]', 'statistics.norm_all' }, { '[R] t v d [k]', 'statistics.norm_along' }, types = 'real',
      doc = 'The p-norm of all elements, or along a dimension; p = 0 counts the elements that are not 0.',
      args = { 'x p', 'x p dim keepdim' }, example = [[
         torch.norm(torch.Tensor{3, 4}), torch.norm(torch.Tensor{3, -4}, 1), torch.norm(torch.Tensor{3, 0}, 0)
         torch.norm(torch.Tensor{{3, 4}, {6, 8}}, 2, 2)]] },
   { 'dist', { 't t [v=2]', 'statistics.dist' }, types = 'real',
      doc = 'The p-norm of the difference of two tensors.', args = 'p', example = [[
         torch.dist(torch.Tensor{1, 1}, torch.Tensor{4, 5}), torch.dist(torch.Tensor{1, 1}, torch.Tensor{4, 5}, 1)]] },
   { 'match', { '[R] t t [v=1]', 'statistics.match', only = 'function' },
      { 'R t t [v=1]', 'statistics.match', only = 'method' },
      doc = 'Squared distances between the rows of two matrices, times a scale: rows of x by rows of y.',
      args = 'scale', example = [[
         torch.match(torch.Tensor{{0, 0}, {1, 1}}, torch.Tensor{{3, 4}, {0, 2}})]] },
   { 'renorm', { '[r] t v d v', 'statistics.renorm' }, types = 'real',
      doc = 'Scales each slice of a dimension whose p-norm is more than `most` down to it.',
      args = 'p dim most', example = 'torch.renorm(torch.Tensor{{3, 4}, {0, 1}}, 2, 1, 1)' },
   { 'histc', { '[R] t [n=100] [v=0] [v=0]', 'statistics.histc' }, types = 'real',
      doc = 'How many elements lie in each of n equal bins from low to high, by default the extremes.',
      args = 'low high', example = [[
         torch.histc(torch.Tensor{1, 2, 2, 4}, 3)
         torch.histc(torch.Tensor{1, 2, 2, 4}, 2, 0, 10)]] },
   { 'bhistc', { '[R] t [n=100] [v=0] [v=0]', 'statistics.bhistc' }, types = 'real',
      doc = 'The histogram of each row of a matrix, a row each; see histc.',
      args = 'low high', example = [[
         torch.bhistc(torch.Tensor{{1, 2, 2, 4}, {0, 0, 4, 4}}, 2, 0, 4)]] },
   { 'cumsum', { '[R] t [d=1]', 'cumulative.along', { product = 0 } },
      doc = 'Sums of the elements up to each one, along a dimension.', example = [[
         torch.cumsum(torch.Tensor{1, 2, 3})
         torch.cumsum(torch.Tensor{{1, 2}, {3, 4}}, 2)]] },
   { 'cumprod', { '[R] t [d=1]', 'cumulative.along', { product = 1 } },
      doc = 'Products of the elements up to each one, along a dimension.',
      example = 'torch.cumprod(torch.Tensor{2, 3, 4})' },
   { 'cross', { '[R] t t [d]', 'cumulative.cross' },
      doc = 'Vector products along a dimension of size 3, by default the first such.',
      example = 'torch.cross(torch.Tensor{1, 0, 0}, torch.Tensor{0, 1, 0})' },
   { 'sort', { '[R] [L] t [d] [b]', 'sort.sort' },
      doc = 'Elements in order along a dimension, the last by default, and their indices; true for descending. Equal '
         .. 'elements do not keep their order.', args = 'descending', example = [[
         sorted, index = torch.sort(torch.Tensor{3, 1, 2})
         sorted
         index
         torch.sort(torch.Tensor{{3, 1}, {1, 2}}, 1, true)]] },
   { 'topk', { '[R] [L] t [n=1] [d] [b] [b]', 'selection.topk' },
      doc = 'The k smallest (largest: true) elements along a dimension and their indices; another flag sorts.',
      args = 'k dim largest sorted', example = [[
         values, index = torch.topk(torch.Tensor{5, 1, 4, 2}, 2, 1, true, true)
         values
         index]] },
   { 'kthvalue', { '[R] [L] t n [d] [k]', 'selection.kthvalue' },
      doc = 'The k-th smallest element along a dimension, the last by default, and its index.',
      args = 'k dim keepdim', example = 'torch.kthvalue(torch.Tensor{5, 1, 4, 2}, 3)' },
   { 'median', { '[R] [L] t [d] [k]', 'selection.median' },
      doc = 'The median along a dimension, the last by default, the lower one of two, and its index.',
      example = [[
         torch.median(torch.Tensor{{5, 1, 4}, {9, 7, 8}})
         torch.median(torch.Tensor{5, 1, 4, 2})[1] ]] },
   { 'mode', { '[R] [L] t [d] [k]', 'sort.mode' },
      doc = 'The most frequent element along a dimension, by default the last, and its index.',
      example = 'torch.mode(torch.Tensor{{2, 7, 7}, {3, 3, 1}})[2]' },
}
