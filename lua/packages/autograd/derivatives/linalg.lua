-- Linear equations, inverses and factorisations of matrices.

local function none(name, why) return { name, none = why } end

local reflectors = "LAPACK's reflectors are not a function that has one; use torch.qr"

return {
   { 'inverse', { 't', x = 'neg(mm(mm(t(out), g), t(out)))' } },
   { 'gesv', { 't t', x = '(torch.gesv(columns(g), t(y)))',
      y = 'neg(mm((torch.gesv(columns(g), t(y))), t(columns(out))))' } },
   none('gels', 'use torch.inverse(a:t() * a) * (a:t() * b)'),
   { 'trtrs', { 't t [s] [s] [s]', x = '(torch.trtrs(columns(g), y, s or "U", s2 == "T" and "N" or "T", s3 or "N"))',
      y = 'triangular_by(g, out, y, s, s2, s3)' } },
   { 'potrf', { 't [s]', x = 'cholesky_by(g, out, s)' } },
   { 'potrs', { 't t [s]', x = 'torch.potrs(columns(g), y, s or "U")', y = 'through(solved_for, g, y, x, s or "U")' } },
   { 'potri', { 't [s]', x = 'through(inverse_of_factor, g, x, s or "U")' } },
   { 'pstrf', { 't [s] [v=-1]', x = 'through(pivoted, g, x, more, s or "U")' } },
   { 'symeig', { 't [s] [s]', x = 'symeig_by(g, x, out, s, s2)' }, parts = 2 },
   none('eig', 'its eigenvalues may be complex; symeig has one'),
   { 'svd', { 't [s]', x = 'svd_by(g, out)' }, parts = 3 },
   { 'qr', { 't', x = 'qr_by(g, out)' }, parts = 2 },
   none('geqrf', reflectors), none('orgqr', reflectors), none('ormqr', reflectors),
}
