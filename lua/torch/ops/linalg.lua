-- Linear equations, inverses and factorisations of matrices. They are functions of torch only.

local function row(factory, signature, doc, args, example)
   return { string.match(factory, '%.(%w+)$'), { signature, factory }, types = 'real', only = 'function', doc = doc,
      args = args, example = example }
end

return {
   row('linalg.systems.inverse', '[R] t', 'The inverse of a square matrix; an error where it is singular.',
      'a', [[
         torch.inverse(torch.Tensor{{1, 2}, {3, 4}})
         torch.inverse(torch.ones(2, 2))]]),
   row('linalg.systems.gesv', '[R R] t t',
      'Solves A X = B for a square A: gesv(B, A) gives X and the factors L and U of A in one matrix.',
      'x lu b a', [[
         a, b = torch.Tensor{{2, 1}, {1, 3}}, torch.Tensor{{3}, {5}}
         x = torch.gesv(b, a)
         x
         (a * x - b):abs():max() < 1e-12]]),
   row('linalg.systems.gels', '[R R] t t',
      'Solves A X = B in the least squares sense, or with the shortest X: gels(B, A) gives X, '
         .. 'below it what is left of B, and a factor of A.', 'x factor b a', [[
         a = torch.Tensor{{1, 0}, {1, 1}, {1, 2}}
         b = torch.Tensor{{1}, {3}, {5}}
         torch.gels(b, a):narrow(1, 1, 2)]]),
   row('linalg.systems.trtrs', '[R R] t t [s] [s] [s]',
      "Solves A X = B for a triangular A ('U' upper or 'L' lower, 'N' or 'T' transposed, 'N' or 'U' unit diagonal).",
      'x a_copy b a triangle transposed unit', [[
         a, b = torch.Tensor{{2, 1}, {0, 4}}, torch.Tensor{{4}, {8}}
         x = torch.trtrs(b, a)
         x
         y = torch.trtrs(b, a, 'U', 'T')
         y]]),
   row('linalg.systems.potrf', '[R] t [s]',
      "The Cholesky factor of a positive definite matrix, 'U' upper or 'L' lower.",
      'a triangle', [[
         a = torch.Tensor{{4, 2}, {2, 5}}
         torch.potrf(a)
         torch.potrf(a, 'L')
         torch.potrf(torch.Tensor{{1, 2}, {2, 1}})]]),
   row('linalg.systems.potrs', '[R] t t [s]', 'Solves A X = B given the Cholesky factor of A: potrs(B, factor).',
      'b factor triangle', [[
         a, b = torch.Tensor{{4, 2}, {2, 5}}, torch.Tensor{{8}, {12}}
         torch.potrs(b, torch.potrf(a))]]),
   row('linalg.systems.potri', '[R] t [s]', 'The inverse of a matrix given its Cholesky factor.',
      'factor triangle', [[
         a = torch.Tensor{{4, 2}, {2, 5}}
         torch.potri(torch.potrf(a)) * a]]),
   row('linalg.systems.pstrf', '[R I] t [s] [v=-1]',
      'The Cholesky factor with pivoting, and the order of the rows in an IntTensor.',
      'pivots a triangle tolerance', [[
         factor, pivots = torch.pstrf(torch.Tensor{{1, 2}, {2, 16}})
         factor
         pivots]]),
   row('linalg.decompositions.symeig', '[R R] t [s] [s]',
      "Eigenvalues of a symmetric matrix in ascending order and, with 'V', its eigenvectors in columns.",
      'e v a vectors triangle', [[
         e, v = torch.symeig(torch.Tensor{{2, 1}, {1, 2}}, 'V')
         e
         (v * torch.diag(e) * v:t() - torch.Tensor{{2, 1}, {1, 2}}):abs():max() < 1e-12]]),
   row('linalg.decompositions.eig', '[R R] t [s]',
      "Eigenvalues of a square matrix, real and imaginary parts in two columns, and eigenvectors with 'V'.",
      'e v a vectors', [[
         e = torch.eig(torch.Tensor{{0, -1}, {1, 0}})
         e]]),
   row('linalg.decompositions.svd', '[R R R] t [s]',
      "Singular value decomposition U S V': U, the vector of S and V; all columns of U and V with 'A'.",
      'u s v a columns', [[
         a = torch.Tensor{{3, 0}, {0, 4}, {0, 0}}
         u, s, v = torch.svd(a)
         s
         u:size(2), (u * torch.diag(s) * v:t() - a):abs():max() < 1e-12]]),
   row('linalg.decompositions.qr', '[R R] t',
      'The factors Q, of orthonormal columns, and R, upper triangular, of a matrix.', 'q r a', [[
         a = torch.Tensor{{3, 1}, {4, 2}}
         q, r = torch.qr(a)
         r
         (q * r - a):abs():max() < 1e-12]]),
   row('linalg.decompositions.geqrf', '[R R] t',
      'The QR factorisation as LAPACK keeps it: reflectors below R, and their factors.',
      'reflectors factors a', [[
         reflectors, factors = torch.geqrf(torch.Tensor{{3, 1}, {4, 2}})
         torch.triu(reflectors)
         factors:size(1)]]),
   row('linalg.decompositions.orgqr', '[R] t t', 'The matrix Q of the reflectors and factors of geqrf.',
      'reflectors factors', [[
         a = torch.Tensor{{3, 1}, {4, 2}}
         q = torch.orgqr(torch.geqrf(a))
         q]]),
   row('linalg.decompositions.ormqr', '[R] t t t [s] [s]',
      "The product of Q, or with 'T' of its transpose, and a matrix, from the left or with 'R' from the right.",
      'reflectors factors c side transposed', [[
         a = torch.Tensor{{3, 1}, {4, 2}}
         reflectors, factors = torch.geqrf(a)
         r = torch.ormqr(reflectors, factors, a, 'L', 'T')
         (r - torch.triu(reflectors)):abs():max() < 1e-12]]),
}
