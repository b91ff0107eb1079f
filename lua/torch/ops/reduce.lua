-- Reductions: to one number, or along a dimension, which stays with size 1.

return {
   { 'sum', { 't', 'reduce.sum_all' }, { '[R] t d', 'reduce.along', { ufunc = 'add' } },
      doc = 'Sum of all elements, or along a dimension.' },
   { 'prod', { 't', 'reduce.prod_all' }, { '[R] t d', 'reduce.along', { ufunc = 'multiply' } },
      doc = 'Product of all elements, or along a dimension.' },
   { 'mean', { 't', 'reduce.mean_all' }, { '[R] t d', 'reduce.mean_along', { ufunc = 'add' } }, types = 'real',
      doc = 'Mean of all elements, or along a dimension.' },
   { 'max', { 't', 'reduce.extreme_all', { beaten = 'v <= best' } },
      { '[R L] t d', 'reduce.extreme_along', { beaten = 'v <= best' } },
      doc = 'Largest element, or the largest along a dimension with their positions in a LongTensor; nan wins.' },
   { 'min', { 't', 'reduce.extreme_all', { beaten = 'v >= best' } },
      { '[R L] t d', 'reduce.extreme_along', { beaten = 'v >= best' } },
      doc = 'Smallest element, or the smallest along a dimension with their positions in a LongTensor; nan wins.' },
}
