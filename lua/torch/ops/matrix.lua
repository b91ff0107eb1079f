-- Products of vectors, matrices and batches of matrices.

local function product(name, kind, doc, args, example)
   return { name, { '[R] t t', 'linalg.products.product', kind, only = 'function' },
      { 'R t t', 'linalg.products.product', kind, only = 'method' },
      doc = doc, args = args, example = example }
end

-- As a method with one number before the operands, that number scales the product.
local function added(name, kind, doc, operands, example)
   local function method(call) return { '', string.format(call, name, operands), true } end
   return { name, { '[R] [v=1] t [v=1] t t', 'linalg.products.added', kind, only = 'function' },
      { 'R [v=1] t t', 'linalg.products.added_to', kind, only = 'method' },
      { 'R v v t t', 'linalg.products.added_to_scaled', kind, only = 'method' },
      { 'R [v=1] t [v=1] t t', 'linalg.products.added_in', kind, only = 'method' },
      doc = doc, example = example,
      signatures = {
         { string.format('torch.%s([res,] [beta,] x, [alpha,] %s)', name, operands),
           string.format('res:%s([beta,] x, [alpha,] %s)', name, operands) },
         method 'x:%s([alpha,] %s)', method 'x:%s(beta, alpha, %s)',
      } }
end

return {
   { 'dot', { 't t', 'linalg.products.dot' },
      doc = 'Sum of the products of the elements of two tensors with as many elements, a number.',
      example = 'torch.dot(torch.Tensor{1, 2}, torch.Tensor{3, 4})' },
   product('mv', 'mv', 'Product of a matrix of n x m and a vector of m elements, a vector of n.',
      'matrix x', 'torch.mv(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 10})'),
   product('mm', 'mm', 'Product of two matrices, of n x k and k x m.', 'a b', [[
         torch.mm(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 10}, {0, 1}})
         torch.mm(torch.ones(2, 3), torch.ones(2, 3))]]),
   product('bmm', 'bmm', 'Products of the matrices of two batches, of b x n x k and b x k x m.',
      'a b', 'torch.bmm(torch.ones(2, 1, 3), torch.ones(2, 3, 2))'),
   product('ger', 'ger', 'Outer product of two vectors, a matrix with a row for each element of the first.',
      nil, 'torch.ger(torch.Tensor{1, 2}, torch.Tensor{1, 10, 100})'),
   added('addmv', 'mv', 'beta x + alpha M v for vectors x, v and a matrix M; beta and alpha are 1 by default.',
      'matrix, vector', [[
         m, v = torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 10}
         torch.addmv(torch.ones(2), m, v)
         torch.ones(2):addmv(100, 2, m, v)]]),
   added('addmm', 'mm', 'beta x + alpha A B for matrices; beta and alpha are 1 by default.',
      'a, b', [[
         a, b = torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 10}, {0, 1}}
         torch.addmm(torch.ones(2, 2), a, b)
         torch.addmm(0, torch.ones(2, 2), 2, a, b)]]),
   added('addr', 'ger', "beta x + alpha v w' for a matrix x and vectors; beta and alpha are 1 by default.",
      'v, w', [[
         torch.addr(torch.ones(2, 2), torch.Tensor{1, 2}, torch.Tensor{10, 100})]]),
   added('addbmm', 'sum', 'beta x + alpha times the sum of the products of two batches; both are 1 by default.',
      'a, b', [[
         torch.addbmm(torch.zeros(1, 2), torch.ones(5, 1, 3), torch.ones(5, 3, 2))]]),
   added('baddbmm', 'bmm', 'beta x + alpha A B for batches of matrices; beta and alpha are 1 by default.',
      'a, b', [[
         torch.baddbmm(torch.ones(2, 1, 2), torch.ones(2, 1, 3), torch.ones(2, 3, 2))]]),
   { 'einsum', custom = 'linalg.einsum.make', types = 'all', only = 'function', added = true,
      doc = "Products of the elements of tensors, summed up over the letters that the output does not have: "
         .. "'ik,kj->ij'. A letter that an operand has twice takes its diagonal, '...' stands for further dimensions, "
         .. 'and a result without letters is a number.',
      signatures = { { 'torch.einsum([res,] equation, x, y, ...)', '' }, { 'torch.einsum([res,] equation, list)',
         '' } },
      example = [[
         torch.einsum('ij,j->i', torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 10})
         torch.einsum('ii', torch.eye(4))
         torch.einsum('...chw,c->...hw', torch.ones(3, 2, 2), torch.Tensor{0.5, 0.3, 0.2})]] },
}
