-- Argument names and examples of the operations in ops/linalg.lua.

return {
   inverse = { 'res a', example = [[
      torch.inverse(torch.Tensor{{1, 2}, {3, 4}})
      torch.inverse(torch.ones(2, 2))]] },
   gesv = { 'x lu b a', example = [[
      a, b = torch.Tensor{{2, 1}, {1, 3}}, torch.Tensor{{3}, {5}}
      x = torch.gesv(b, a)
      x
      (a * x - b):abs():max() < 1e-12]] },
   gels = { 'x factor b a', example = [[
      a = torch.Tensor{{1, 0}, {1, 1}, {1, 2}}
      b = torch.Tensor{{1}, {3}, {5}}
      torch.gels(b, a):narrow(1, 1, 2)]] },
   trtrs = { 'x a_copy b a triangle transposed unit', example = [[
      a, b = torch.Tensor{{2, 1}, {0, 4}}, torch.Tensor{{4}, {8}}
      x = torch.trtrs(b, a)
      x
      y = torch.trtrs(b, a, 'U', 'T')
      y]] },
   potrf = { 'res a triangle', example = [[
      a = torch.Tensor{{4, 2}, {2, 5}}
      torch.potrf(a)
      torch.potrf(a, 'L')
      torch.potrf(torch.Tensor{{1, 2}, {2, 1}})]] },
   potrs = { 'res b factor triangle', example = [[
      a, b = torch.Tensor{{4, 2}, {2, 5}}, torch.Tensor{{8}, {12}}
      torch.potrs(b, torch.potrf(a))]] },
   potri = { 'res factor triangle', example = [[
      a = torch.Tensor{{4, 2}, {2, 5}}
      torch.potri(torch.potrf(a)) * a]] },
   pstrf = { 'res pivots a triangle tolerance', example = [[
      factor, pivots = torch.pstrf(torch.Tensor{{1, 2}, {2, 16}})
      factor
      pivots]] },
   symeig = { 'e v a vectors triangle', example = [[
      e, v = torch.symeig(torch.Tensor{{2, 1}, {1, 2}}, 'V')
      e
      (v * torch.diag(e) * v:t() - torch.Tensor{{2, 1}, {1, 2}}):abs():max() < 1e-12]] },
   eig = { 'e v a vectors', example = [[
      e = torch.eig(torch.Tensor{{0, -1}, {1, 0}})
      e]] },
   svd = { 'u s v a columns', example = [[
      a = torch.Tensor{{3, 0}, {0, 4}, {0, 0}}
      u, s, v = torch.svd(a)
      s
      u:size(2), (u * torch.diag(s) * v:t() - a):abs():max() < 1e-12]] },
   qr = { 'q r a', example = [[
      a = torch.Tensor{{3, 1}, {4, 2}}
      q, r = torch.qr(a)
      r
      (q * r - a):abs():max() < 1e-12]] },
   geqrf = { 'reflectors factors a', example = [[
      reflectors, factors = torch.geqrf(torch.Tensor{{3, 1}, {4, 2}})
      torch.triu(reflectors)
      factors:size(1)]] },
   orgqr = { 'res reflectors factors', example = [[
      a = torch.Tensor{{3, 1}, {4, 2}}
      q = torch.orgqr(torch.geqrf(a))
      q]] },
   ormqr = { 'res reflectors factors c side transposed', example = [[
      a = torch.Tensor{{3, 1}, {4, 2}}
      reflectors, factors = torch.geqrf(a)
      r = torch.ormqr(reflectors, factors, a, 'L', 'T')
      (r - torch.triu(reflectors)):abs():max() < 1e-12]] },
}
