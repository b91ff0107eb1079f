-- Tensors made from numbers.

return {
   { 'zeros', custom = 'construct.zeros', variadic = true, sizes = true,
      doc = 'A tensor of the given sizes, all 0.' },
   { 'ones', custom = 'construct.ones', variadic = true, sizes = true,
      doc = 'A tensor of the given sizes, all 1.' },
   { 'rand', custom = 'construct.rand', variadic = true, sizes = true, types = 'real',
      doc = 'A tensor of the given sizes with numbers uniformly distributed over [0, 1).' },
   { 'range', { '[r] v v [v=1]', 'construct.range' },
      doc = 'The numbers from a first to a last one, in steps of the third or of 1.' },
   { 'linspace', { '[r] v v [n=100]', 'construct.linspace' }, types = 'real',
      doc = 'n numbers evenly spaced from a first to a last one.' },
   { 'eye', { '[r] n [n]', 'construct.eye' },
      doc = 'The identity matrix of n rows, and of n or m columns.' },
   { 'cat', { '[R] t t [d]', 'construct.cat_two' }, { '[R] T [d]', 'construct.cat_list' },
      doc = 'Tensors put one after the other along dimension d, the last one by default.' },
}
