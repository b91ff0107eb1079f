-- Products of vectors, matrices and batches of matrices.

local function product(name, kind, doc)
   return { name, { '[R] t t', 'linalg.products.product', kind, only = 'function' },
      { 'R t t', 'linalg.products.product', kind, only = 'method' }, doc = doc }
end

-- As a method with one number before the operands, that number scales the product.
local function added(name, kind, doc)
   return { name, { '[R] [v=1] t [v=1] t t', 'linalg.products.added', kind, only = 'function' },
      { 'R [v=1] t t', 'linalg.products.added_to', kind, only = 'method' },
      { 'R v v t t', 'linalg.products.added_to_scaled', kind, only = 'method' },
      { 'R [v=1] t [v=1] t t', 'linalg.products.added', kind, only = 'method' }, doc = doc }
end

return {
   { 'dot', { 't t', 'linalg.products.dot' },
      doc = 'Sum of the products of the elements of two tensors with as many elements, a number.' },
   product('mv', 'mv', 'Product of a matrix of n x m and a vector of m elements, a vector of n.'),
   product('mm', 'mm', 'Product of two matrices, of n x k and k x m.'),
   product('bmm', 'bmm', 'Products of the matrices of two batches, of b x n x k and b x k x m.'),
   product('ger', 'ger', 'Outer product of two vectors, a matrix with a row for each element of the first.'),
   added('addmv', 'mv', 'beta x + alpha M v for vectors x, v and a matrix M; beta and alpha are 1 by default.'),
   added('addmm', 'mm', 'beta x + alpha A B for matrices; beta and alpha are 1 by default.'),
   added('addr', 'ger', "beta x + alpha v w' for a matrix x and vectors; beta and alpha are 1 by default."),
   added('addbmm', 'sum', 'beta x + alpha times the sum of the products of two batches; both are 1 by default.'),
   added('baddbmm', 'bmm', 'beta x + alpha A B for batches of matrices; beta and alpha are 1 by default.'),
   { 'einsum', custom = 'linalg.einsum.make', types = 'all', only = 'function', added = true,
      doc = "Products of the elements of tensors, summed up over the letters that the output does not have: "
         .. "'ik,kj->ij'. A letter that an operand has twice takes its diagonal, '...' stands for further dimensions, "
         .. 'and a result without letters is a number.' },
}
