-- Elements picked by index tensors and masks.

return {
   { 'index', { 'R t d L', 'gather.index' }, { 't d L', 'gather.index_new' }, only = 'method',
      doc = 'The slices of a dimension at the indices in a LongTensor, in this order, as a copy.', example = [[
         x = torch.Tensor{{1, 2}, {3, 4}, {5, 6}}
         x:index(1, torch.LongTensor{3, 1, 1})]] },
   { 'indexCopy', { 't d L t', 'gather.index_copy' }, only = 'method',
      doc = 'Copies the slices of y along a dimension to the listed indices of x, in this order.',
      example = 'torch.zeros(3, 2):indexCopy(1, torch.LongTensor{3, 1}, torch.Tensor{{1, 2}, {3, 4}})' },
   { 'indexAdd', { 't d L t', 'gather.index_add' }, only = 'method',
      doc = 'Adds the slices of y along a dimension to the listed indices of x; an index may be listed twice.',
      example = 'torch.zeros(2):indexAdd(1, torch.LongTensor{1, 1, 2}, torch.Tensor{5, 6, 7})' },
   { 'indexFill', { 't d L v', 'gather.index_fill' }, only = 'method', text = true,
      doc = 'Sets the elements at the listed indices of a dimension to a number.',
      example = 'torch.zeros(2, 3):indexFill(2, torch.LongTensor{1, 3}, 7)' },
   { 'gather', { '[R] t d L', 'scatter.gather' },
      doc = 'For each element of a LongTensor the element of x at its indices, but along dim at the index '
         .. 'that it holds. In the other dimensions both have the same sizes.', example = [[
         x = torch.Tensor{{1, 2, 3}, {4, 5, 6}}
         torch.gather(x, 2, torch.LongTensor{{3}, {1}})
         x:gather(1, torch.LongTensor{{1, 2, 1}})]] },
   { 'scatter', { 't d L t', 'scatter.scatter' }, { 't d L v', 'scatter.scatter_value' },
      doc = 'Undoes gather: puts a number, or the elements of y, where the LongTensor says for the '
         .. 'dimension. With a number, both have the same sizes in the other dimensions; elements of y go to as much '
         .. 'of x as the LongTensor covers.', example = [[
         torch.zeros(2, 3):scatter(2, torch.LongTensor{{3}, {1}}, torch.Tensor{{5}, {6}})
         torch.zeros(2, 3):scatter(2, torch.LongTensor{{2}, {2}}, 1)]] },
   { 'maskedSelect', { '[R] t B', 'masked.select' }, only = 'method',
      doc = 'The elements where a ByteTensor is 1, as a vector.', example = [[
         x = torch.Tensor{{1, 2}, {3, 4}}
         x:maskedSelect(x:gt(1))]] },
   { 'maskedCopy', { 't B t', 'masked.copy' }, only = 'method',
      doc = 'Copies the elements of a tensor, one after the other, to where a ByteTensor is 1.',
      example = 'torch.zeros(4):maskedCopy(torch.ByteTensor{0, 1, 0, 1}, torch.Tensor{5, 6})' },
   { 'maskedFill', { 't B v', 'masked.fill' }, only = 'method', text = true,
      doc = 'Sets the elements where a ByteTensor is 1 to a number.', example = [[
         x = torch.Tensor{{1, 2}, {3, 4}}
         x:maskedFill(x:gt(2), 0)]] },
   { 'where', custom = 'where.where', types = 'all', added = true,
      doc = 'The elements of x where a ByteTensor is not 0, those of y elsewhere; x and y are tensors of one type, or '
         .. 'numbers. With the mask alone: the indices where it is not 0, a LongTensor for each dimension.',
      signatures = {
      { 'torch.where([res,] mask, x, y)', 'x:where(mask, y)' }, { '', 'res:where(mask, x, y)' },
      { 'torch.where(mask)', 'mask:where()' } }, example = [[
         x = torch.Tensor{{1, -2}, {-3, 4}}
         torch.where(x:gt(0), x, 0)
         rows, columns = torch.where(x:gt(0))
         rows
         columns]] },
   { 'nonzero', { '[L] t', 'masked.nonzero' },
      doc = 'The indices of the elements that are not 0, a row each, in a LongTensor.',
      example = 'torch.nonzero(torch.Tensor{{0, 5}, {6, 0}})' },
}
