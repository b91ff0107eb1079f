-- Argument names and examples of the operations in ops/arithmetic.lua.

return {
   add = { '', 'res x scale y', example = [[
      x = torch.Tensor{1, 2}
      torch.add(x, 10)
      torch.add(x, 2, torch.Tensor{100, 200})
      x:add(1):sum(), x:sum()]] },
   csub = { '', 'res x scale y', example = [[
      torch.csub(torch.Tensor{5, 6}, torch.Tensor{1, 4})
      torch.csub(torch.Tensor{5, 6}, 2, torch.Tensor{1, 4})]] },
   mul = { example = [[
      torch.mul(torch.Tensor{1, -2}, 3)]] },
   cmul = { example = [[
      torch.cmul(torch.Tensor{1, 2}, torch.Tensor{3, 4})]] },
   div = { example = [[
      torch.div(torch.Tensor{1, -7}, 2)
      torch.div(torch.IntTensor{1, -7}, 2)]] },
   cdiv = { example = [[
      torch.cdiv(torch.Tensor{1, -7}, torch.Tensor{4, 2})]] },
   remainder = { example = [[
      torch.remainder(torch.Tensor{7, -7}, 3)]] },
   cremainder = { example = [[
      torch.cremainder(torch.Tensor{7, -7}, torch.Tensor{3, 4})]] },
   fmod = { example = [[
      torch.fmod(torch.Tensor{7, -7}, 3)]] },
   cfmod = { example = [[
      torch.cfmod(torch.Tensor{7, -7}, torch.Tensor{3, 4})]] },
   mod = { example = [[
      torch.mod(torch.Tensor{7.5, -7.5}, 3)]] },
   cmod = { example = [[
      torch.cmod(torch.Tensor{7, -7}, torch.Tensor{4, 5})]] },
   cpow = { example = [[
      torch.cpow(torch.Tensor{2, 9}, torch.Tensor{3, 0.5})]] },
   addcmul = { 'res x scale y z', example = [[
      x, y, z = torch.Tensor{1, 1}, torch.Tensor{2, 3}, torch.Tensor{4, 5}
      torch.addcmul(x, y, z)
      torch.addcmul(x, 10, y, z)]] },
   addcdiv = { 'res x scale y z', example = [[
      x, y, z = torch.Tensor{1, 1}, torch.Tensor{2, 3}, torch.Tensor{4, 5}
      torch.addcdiv(x, 10, y, z)]] },
   cmax = { example = [[
      torch.cmax(torch.Tensor{1, 5}, torch.Tensor{4, 2})
      torch.cmax(torch.Tensor{1, 5}, 3)]] },
   cmin = { example = [[
      torch.cmin(torch.Tensor{1, 5}, torch.Tensor{4, 2})
      torch.cmin(torch.Tensor{1, 5}, 3)]] },
   clamp = { 'res x low high', example = [[
      torch.clamp(torch.Tensor{-5, 0.5, 5}, -1, 1)]] },
}
