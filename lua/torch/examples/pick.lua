-- Argument names and examples of the operations in ops/pick.lua.

return {
   index = { example = [[
      x = torch.Tensor{{1, 2}, {3, 4}, {5, 6}}
      x:index(1, torch.LongTensor{3, 1, 1})]] },
   indexCopy = { example = [[
      torch.zeros(3, 2):indexCopy(1, torch.LongTensor{3, 1}, torch.Tensor{{1, 2}, {3, 4}})]] },
   indexAdd = { example = [[
      torch.zeros(2):indexAdd(1, torch.LongTensor{1, 1, 2}, torch.Tensor{5, 6, 7})]] },
   indexFill = { example = [[
      torch.zeros(2, 3):indexFill(2, torch.LongTensor{1, 3}, 7)]] },
   gather = { example = [[
      x = torch.Tensor{{1, 2, 3}, {4, 5, 6}}
      torch.gather(x, 2, torch.LongTensor{{3}, {1}})
      x:gather(1, torch.LongTensor{{1, 2, 1}})]] },
   scatter = { example = [[
      torch.zeros(2, 3):scatter(2, torch.LongTensor{{3}, {1}}, torch.Tensor{{5}, {6}})
      torch.zeros(2, 3):scatter(2, torch.LongTensor{{2}, {2}}, 1)]] },
   maskedSelect = { example = [[
      x = torch.Tensor{{1, 2}, {3, 4}}
      x:maskedSelect(x:gt(1))]] },
   maskedCopy = { example = [[
      torch.zeros(4):maskedCopy(torch.ByteTensor{0, 1, 0, 1}, torch.Tensor{5, 6})]] },
   maskedFill = { example = [[
      x = torch.Tensor{{1, 2}, {3, 4}}
      x:maskedFill(x:gt(2), 0)]] },
   where = { forms = {
      { 'torch.where([res,] mask, x, y)', 'x:where(mask, y)' }, { '', 'res:where(mask, x, y)' },
      { 'torch.where(mask)', 'mask:where()' } }, example = [[
      x = torch.Tensor{{1, -2}, {-3, 4}}
      torch.where(x:gt(0), x, 0)
      rows, columns = torch.where(x:gt(0))
      rows
      columns]] },
   nonzero = { example = [[
      torch.nonzero(torch.Tensor{{0, 5}, {6, 0}})]] },
}
