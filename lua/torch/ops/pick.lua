-- Elements picked by index tensors and masks.

return {
   { 'index', { 'R t d L', 'pick.index' }, { 't d L', 'pick.index_new' }, only = 'method',
      doc = 'A copy of the positions of dimension d that a LongTensor lists.' },
   { 'indexCopy', { 't d L t', 'pick.index_copy' }, only = 'method',
      doc = 'Copies slices of a tensor to the listed positions of dimension d.' },
   { 'indexAdd', { 't d L t', 'pick.index_add' }, only = 'method',
      doc = 'Adds slices of a tensor to the listed positions of dimension d.' },
   { 'indexFill', { 't d L v', 'pick.index_fill' }, only = 'method',
      doc = 'Sets the listed positions of dimension d to a number.' },
   { 'gather', { '[R] t d L', 'pick.gather' },
      doc = 'Picks from dimension d the positions that a LongTensor of the same number of dimensions holds.' },
   { 'scatter', { 't d L t', 'pick.scatter' }, { 't d L v', 'pick.scatter_value' },
      doc = 'Puts a number or the elements of a tensor at the positions of dimension d that a LongTensor holds.' },
   { 'maskedSelect', { '[R] t B', 'mask.select' }, only = 'method',
      doc = 'The elements where a ByteTensor is 1, as a vector.' },
   { 'maskedCopy', { 't B t', 'mask.copy' }, only = 'method',
      doc = 'Copies the elements of a tensor, one after the other, to where a ByteTensor is 1.' },
   { 'maskedFill', { 't B v', 'mask.fill' }, only = 'method',
      doc = 'Sets the elements where a ByteTensor is 1 to a number.' },
   { 'nonzero', { '[L] t', 'mask.nonzero' },
      doc = 'The indices of the elements that are not 0, a row each, in a LongTensor.' },
}
