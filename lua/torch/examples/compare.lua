-- Argument names and examples of the operations in ops/compare.lua.

return {
   lt = { 'mask', 'mask', example = [[
      torch.lt(torch.Tensor{1, 2, 3}, 2)]] },
   le = { 'mask', 'mask', example = [[
      torch.le(torch.Tensor{1, 2, 3}, 2)]] },
   gt = { 'mask', 'mask', example = [[
      x = torch.Tensor{1, 2, 3}
      x:gt(torch.Tensor{0, 2, 4})
      x[x:gt(1)]
]] },
   ge = { 'mask', 'mask', example = [[
      torch.ge(torch.Tensor{1, 2, 3}, 2)]] },
   eq = { 'mask', 'mask', example = [[
      torch.eq(torch.Tensor{1, 2, 3}, torch.Tensor{3, 2, 1})
      torch.eq(torch.Tensor{1, 2}, 1):type(), torch.eq(torch.Tensor(), torch.Tensor{1, 2}, 1):type()]] },
   ne = { 'mask', 'mask', example = [[
      torch.ne(torch.Tensor{1, 2, 3}, 2):sum()]] },
   equal = { example = [[
      torch.equal(torch.ones(2, 2), torch.ones(2, 2)), torch.equal(torch.ones(4), torch.ones(2, 2))]] },
}
