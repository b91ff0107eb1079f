-- Elements picked by index tensors and masks.

return {
   { 'index', { 'R t d L', 'gather.index' }, { 't d L', 'gather.index_new' }, only = 'method',
      doc = 'A copy of the positions of a dimension that a LongTensor lists, in this order.' },
   { 'indexCopy', { 't d L t', 'gather.index_copy' }, only = 'method',
      doc = 'Copies the slices of y along a dimension to the listed positions of x, in this order.' },
   { 'indexAdd', { 't d L t', 'gather.index_add' }, only = 'method',
      doc = 'Adds the slices of y along a dimension to the listed positions of x; a position may be listed twice.' },
   { 'indexFill', { 't d L v', 'gather.index_fill' }, only = 'method',
      doc = 'Sets the listed positions of a dimension to a number.' },
   { 'gather', { '[R] t d L', 'gather.gather' },
      doc = 'For each element of a LongTensor the element of x at its place, but along dim at the position '
         .. 'that it holds. In the other dimensions both have the same sizes.' },
   { 'scatter', { 't d L t', 'gather.scatter' }, { 't d L v', 'gather.scatter_value' },
      doc = 'Undoes gather: puts a number, or the elements of y, where the LongTensor says for the '
         .. 'dimension. With a number, both have the same sizes in the other dimensions; elements of y go to as much '
         .. 'of x as the LongTensor covers.' },
   { 'maskedSelect', { '[R] t B', 'masked.select' }, only = 'method',
      doc = 'The elements where a ByteTensor is 1, as a vector.' },
   { 'maskedCopy', { 't B t', 'masked.copy' }, only = 'method',
      doc = 'Copies the elements of a tensor, one after the other, to where a ByteTensor is 1.' },
   { 'maskedFill', { 't B v', 'masked.fill' }, only = 'method',
      doc = 'Sets the elements where a ByteTensor is 1 to a number.' },
   { 'where', custom = 'where.where', types = 'all', added = true,
      doc = 'The elements of x where a ByteTensor is not 0, those of y elsewhere; x and y are tensors of one type, or '
         .. 'numbers. With the mask alone: the positions where it is not 0, a LongTensor for each dimension.' },
   { 'nonzero', { '[L] t', 'masked.nonzero' },
      doc = 'The indices of the elements that are not 0, a row each, in a LongTensor.' },
}
