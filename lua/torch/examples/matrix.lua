-- Argument names and examples of the operations in ops/matrix.lua.

local function added(first, second)
   return {
      { 'torch.$([res,] [beta,] x, [alpha,] ' .. first .. ', ' .. second .. ')',
        'res:$([beta,] x, [alpha,] ' .. first .. ', ' .. second .. ')' },
      { '', 'x:$([alpha,] ' .. first .. ', ' .. second .. ')', true },
      { '', 'x:$(beta, alpha, ' .. first .. ', ' .. second .. ')', true },
   }
end

local function named(name, forms)
   for _, form in ipairs(forms) do form[1], form[2] = form[1]:gsub('%$', name), form[2]:gsub('%$', name) end
   return forms
end

return {
   dot = { example = [[
      torch.dot(torch.Tensor{1, 2}, torch.Tensor{3, 4})]] },
   mv = { 'res matrix x', 'res matrix x', example = [[
      torch.mv(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 10})]] },
   mm = { 'res a b', 'res a b', example = [[
      torch.mm(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 10}, {0, 1}})
      torch.mm(torch.ones(2, 3), torch.ones(2, 3))]] },
   bmm = { 'res a b', 'res a b', example = [[
      torch.bmm(torch.ones(2, 1, 3), torch.ones(2, 3, 2))]] },
   ger = { 'res x y', 'res x y', example = [[
      torch.ger(torch.Tensor{1, 2}, torch.Tensor{1, 10, 100})]] },
   addmv = { forms = named('addmv', added('matrix', 'vector')), example = [[
      m, v = torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 10}
      torch.addmv(torch.ones(2), m, v)
      torch.ones(2):addmv(100, 2, m, v)]] },
   addmm = { forms = named('addmm', added('a', 'b')), example = [[
      a, b = torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 10}, {0, 1}}
      torch.addmm(torch.ones(2, 2), a, b)
      torch.addmm(0, torch.ones(2, 2), 2, a, b)]] },
   addr = { forms = named('addr', added('v', 'w')), example = [[
      torch.addr(torch.ones(2, 2), torch.Tensor{1, 2}, torch.Tensor{10, 100})]] },
   addbmm = { forms = named('addbmm', added('a', 'b')), example = [[
      torch.addbmm(torch.zeros(1, 2), torch.ones(5, 1, 3), torch.ones(5, 3, 2))]] },
   einsum = {
      forms = { { 'torch.einsum([res,] equation, x, y, ...)', '' }, { 'torch.einsum([res,] equation, list)', '' } },
      example = [[
      torch.einsum('ij,j->i', torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 10})
      torch.einsum('ii', torch.eye(4))
      torch.einsum('...chw,c->...hw', torch.ones(3, 2, 2), torch.Tensor{0.5, 0.3, 0.2})]] },
   baddbmm = { forms = named('baddbmm', added('a', 'b')), example = [[
      torch.baddbmm(torch.ones(2, 1, 2), torch.ones(2, 1, 3), torch.ones(2, 3, 2))]] },
}
