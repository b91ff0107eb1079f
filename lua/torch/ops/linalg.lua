-- Linear equations, inverses and factorisations of matrices. They are functions of torch only.

local function row(maker, form, doc)
   return { maker:match('%.(%w+)$'), { form, maker }, types = 'real', only = 'function', doc = doc }
end

return {
   row('linalg.systems.inverse', '[R] t', 'The inverse of a square matrix; an error where it is singular.'),
   row('linalg.systems.gesv', '[R R] t t',
      'Solves A X = B for a square A: gesv(B, A) gives X and the factors L and U of A in one matrix.'),
   row('linalg.systems.gels', '[R R] t t',
      'Solves A X = B in the least squares sense, or with the shortest X: gels(B, A) gives X, '
         .. 'below it what is left of B, and a factor of A.'),
   row('linalg.systems.trtrs', '[R R] t t [s] [s] [s]',
      "Solves A X = B for a triangular A ('U' upper or 'L' lower, 'N' or 'T' transposed, 'N' or 'U' unit diagonal)."),
   row('linalg.systems.potrf', '[R] t [s]',
      "The Cholesky factor of a positive definite matrix, 'U' upper or 'L' lower."),
   row('linalg.systems.potrs', '[R] t t [s]', 'Solves A X = B given the Cholesky factor of A: potrs(B, factor).'),
   row('linalg.systems.potri', '[R] t [s]', 'The inverse of a matrix given its Cholesky factor.'),
   row('linalg.systems.pstrf', '[R I] t [s] [v=-1]',
      'The Cholesky factor with pivoting, and the order of the rows in an IntTensor.'),
   row('linalg.decompositions.symeig', '[R R] t [s] [s]',
      "Eigenvalues of a symmetric matrix in ascending order and, with 'V', its eigenvectors in columns."),
   row('linalg.decompositions.eig', '[R R] t [s]',
      "Eigenvalues of a square matrix, real and imaginary parts in two columns, and eigenvectors with 'V'."),
   row('linalg.decompositions.svd', '[R R R] t [s]',
      "Singular value decomposition U S V': U, the vector of S and V; all columns of U and V with 'A'."),
   row('linalg.decompositions.qr', '[R R] t',
      'The factors Q, of orthonormal columns, and R, upper triangular, of a matrix.'),
   row('linalg.decompositions.geqrf', '[R R] t',
      'The QR factorisation as LAPACK keeps it: reflectors below R, and their factors.'),
   row('linalg.decompositions.orgqr', '[R] t t', 'The matrix Q of the reflectors and factors of geqrf.'),
   row('linalg.decompositions.ormqr', '[R] t t t [s] [s]',
      "The product of Q, or with 'T' of its transpose, and a matrix, from the left or with 'R' from the right."),
}
