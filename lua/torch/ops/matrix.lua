-- Products of vectors, matrices and batches of matrices.

local function product(name, kind, doc)
   return { name, { '[R] t t', 'matrix.product', kind, only = 'function' },
      { 'R t t', 'matrix.product', kind, only = 'method' }, doc = doc }
end

-- As a method with one number before the operands, that number scales the product.
local function added(name, kind, doc)
   return { name, { '[R] [v=1] t [v=1] t t', 'matrix.added', kind, only = 'function' },
      { 'R [v=1] t t', 'matrix.added_to', kind, only = 'method' },
      { 'R v v t t', 'matrix.added_to_scaled', kind, only = 'method' },
      { 'R [v=1] t [v=1] t t', 'matrix.added', kind, only = 'method' }, doc = doc }
end

return {
   { 'dot', { 't t', 'matrix.dot' }, doc = 'Sum of the products of the elements of two tensors.' },
   product('mv', 'mv', 'Product of a matrix and a vector.'),
   product('mm', 'mm', 'Product of two matrices.'),
   product('bmm', 'bmm', 'Products of the matrices of two batches.'),
   product('ger', 'ger', 'Outer product of two vectors, a matrix.'),
   added('addmv', 'mv', 'beta x + alpha M v for vectors x, v and a matrix M; the numbers are 1 by default.'),
   added('addmm', 'mm', 'beta M + alpha A B for matrices; the numbers are 1 by default.'),
   added('addr', 'ger', "beta M + alpha x y' for a matrix and vectors; the numbers are 1 by default."),
   added('addbmm', 'sum', 'beta M + alpha times the sum of the products of two batches; the numbers are 1 by default.'),
   added('baddbmm', 'bmm', 'beta M + alpha A B for batches of matrices; the numbers are 1 by default.'),
}
