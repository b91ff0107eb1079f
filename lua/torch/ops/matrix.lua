-- Products of vectors and matrices.

return {
   { 'dot', { 't t', 'matrix.dot' }, doc = 'Sum of the products of the elements of two tensors.' },
   { 'mm', { '[R] t t', 'matrix.mm' }, doc = 'Product of two matrices.' },
   { 'mv', { '[R] t t', 'matrix.mv' }, doc = 'Product of a matrix and a vector.' },
}
