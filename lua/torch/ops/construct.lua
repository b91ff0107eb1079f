-- Tensors made from numbers and from other tensors.

return {
   { 'zeros', custom = 'construct.zeros', sizes = true,
      doc = 'A tensor of the given sizes, all 0.' },
   { 'ones', custom = 'construct.ones', sizes = true,
      doc = 'A tensor of the given sizes, all 1.' },
   { 'range', { '[r] v v [v=1]', 'construct.range' },
      doc = 'A vector of the numbers first, first + step, ... up to last, or down to it with a negative step.' },
   { 'linspace', { '[r] v v [n=100]', 'construct.linspace' }, types = 'real',
      doc = 'A vector of n numbers evenly spaced from first to last, both included.' },
   { 'logspace', { '[r] v v [n=100]', 'construct.logspace' }, types = 'real',
      doc = 'A vector of n numbers evenly spaced on a logarithmic scale from 10^first to 10^last, both included.' },
   { 'eye', { '[r] n [n]', 'construct.eye' },
      doc = 'A matrix with 1 on its diagonal and 0 elsewhere, square where the columns are left out.' },
   { 'diag', { '[R] t [n=0]', 'construct.diag' },
      doc = 'The k-th diagonal of a matrix as a vector, or a matrix with a vector on its k-th diagonal; positive k are '
         .. 'above the main one, negative k below.' },
   { 'tril', { '[R] t [n=0]', 'construct.triangle', { lower = true } },
      doc = 'The elements on and below the k-th diagonal of a matrix, 0 elsewhere.' },
   { 'triu', { '[R] t [n=0]', 'construct.triangle', {} },
      doc = 'The elements on and above the k-th diagonal of a matrix, 0 elsewhere.' },
   { 'cat', { '[R] t t [d]', 'construct.cat_two' }, { '[R] T [d]', 'construct.cat_list' },
      doc = 'Tensors put one after the other along a dimension, by default the last; other sizes must agree.' },
}
