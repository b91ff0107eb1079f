-- Tensors made from numbers and from other tensors.

return {
   { 'zeros', custom = 'create.zeros', sizes = true,
      doc = 'A tensor of the given sizes, all 0.' },
   { 'ones', custom = 'create.ones', sizes = true,
      doc = 'A tensor of the given sizes, all 1.' },
   { 'full', custom = 'create.full', sizes = true, added = true,
      doc = 'A tensor of the given sizes, all of them the last number; sizes may be a table, too.' },
   { 'range', { '[r] v v [v=1]', 'create.range' },
      doc = 'A vector of the numbers first, first + step, ... up to last, or down to it with a negative step.' },
   { 'arange', { '[r] v', 'create.arange', { first = 0 } }, { '[r] v v [v=1]', 'create.arange', {} }, added = true,
      doc = 'A vector of the numbers first, first + step, ... before last, which is not one of them, as in NumPy; '
         .. 'first is 0 where it is left out. `range` includes last.' },
   { 'linspace', { '[r] v v [n=100]', 'create.linspace' }, types = 'real',
      doc = 'A vector of n numbers evenly spaced from first to last, both included.' },
   { 'logspace', { '[r] v v [n=100]', 'create.logspace' }, types = 'real',
      doc = 'A vector of n numbers evenly spaced on a logarithmic scale from 10^first to 10^last, both included.' },
   { 'eye', { '[r] n [n]', 'create.eye' },
      doc = 'A matrix with 1 on its diagonal and 0 elsewhere, square where the columns are left out.' },
   { 'diag', { '[R] t [n=0]', 'create.diag' },
      doc = 'The k-th diagonal of a matrix as a vector, or a matrix with a vector on its k-th diagonal; positive k are '
         .. 'above the main one, negative k below.' },
   { 'tril', { '[R] t [n=0]', 'create.triangle', { lower = true } },
      doc = 'The elements on and below the k-th diagonal of a matrix, 0 elsewhere.' },
   { 'triu', { '[R] t [n=0]', 'create.triangle', {} },
      doc = 'The elements on and above the k-th diagonal of a matrix, 0 elsewhere.' },
   { 'cat', { '[R] t t [d]', 'join.cat_two' }, { '[R] T [d]', 'join.cat_list' },
      doc = 'Tensors put one after the other along a dimension, by default the last; other sizes must agree.' },
   { 'stack', { '[R] t t [d=1]', 'join.stack_two' }, { '[R] T [d=1]', 'join.stack_list' }, added = true,
      doc = 'Tensors of the same sizes side by side along a new dimension, by default the first.' },
   { 'flatten', { 't [d=1] [d=-1]', 'shape_ops.flatten' }, types = 'all', added = true,
      doc = 'The elements as a vector, or with the dimensions from first to last as one; a view where the elements '
         .. 'lie in order, else a copy.' },
   { 'shape', { 't [d]', 'shape_ops.shape' }, types = 'all', added = true,
      doc = 'The sizes in a LongStorage, or the size of a dimension, as x:size() gives them.' },
   { 'item', { 't', 'shape_ops.item' }, types = 'all', added = true,
      doc = 'The only element as a number; an error where there are more, or none.' },
}
