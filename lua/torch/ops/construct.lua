-- Tensors made from numbers and from other tensors.

return {
   { 'zeros', custom = 'construct.zeros', variadic = true, sizes = true,
      doc = 'A tensor of the given sizes, all 0.' },
   { 'ones', custom = 'construct.ones', variadic = true, sizes = true,
      doc = 'A tensor of the given sizes, all 1.' },
   { 'range', { '[r] v v [v=1]', 'construct.range' },
      doc = 'The numbers from a first to a last one, in steps of the third or of 1.' },
   { 'linspace', { '[r] v v [n=100]', 'construct.linspace' }, types = 'real',
      doc = 'n numbers evenly spaced from a first to a last one.' },
   { 'logspace', { '[r] v v [n=100]', 'construct.logspace' }, types = 'real',
      doc = 'n numbers evenly spaced on a logarithmic scale from 10^first to 10^last.' },
   { 'eye', { '[r] n [n]', 'construct.eye' },
      doc = 'The identity matrix of n rows, and of n or m columns.' },
   { 'diag', { '[R] t [n=0]', 'construct.diag' },
      doc = 'The k-th diagonal of a matrix, or a matrix with a vector on its k-th diagonal.' },
   { 'tril', { '[R] t [n=0]', 'construct.triangle', { lower = true } },
      doc = 'The elements on and below the k-th diagonal of a matrix, 0 elsewhere.' },
   { 'triu', { '[R] t [n=0]', 'construct.triangle', {} },
      doc = 'The elements on and above the k-th diagonal of a matrix, 0 elsewhere.' },
   { 'cat', { '[R] t t [d]', 'construct.cat_two' }, { '[R] T [d]', 'construct.cat_list' },
      doc = 'Tensors put one after the other along dimension d, the last one by default.' },
}
