-- Argument names and examples of the operations in ops/construct.lua.

local function sized(name)
   return {
      { 'torch.' .. name .. '([res,] rows, columns, ...)', 'res:' .. name .. '(rows, columns, ...)' },
      { 'torch.' .. name .. '([res,] sizes)', 'res:' .. name .. '(sizes)' },
   }
end

return {
   zeros = { forms = sized 'zeros', example = [[
      torch.zeros(2, 3)
      torch.zeros(torch.LongStorage{2, 2}):size(1)]] },
   ones = { forms = sized 'ones', example = [[
      torch.ones(2, 2)
      torch.ones(3, 'torch.IntTensor'):type()]] },
   range = { 'res first last step', example = [[
      torch.range(2, 5)
      torch.range(1, 0, -0.5)]] },
   linspace = { 'res first last n', example = [[
      torch.linspace(0, 1, 5)]] },
   logspace = { 'res first last n', example = [[
      torch.logspace(0, 2, 3)]] },
   eye = { 'res rows columns', example = [[
      torch.eye(2)
      torch.eye(2, 3)]] },
   diag = { 'res x k', example = [[
      torch.diag(torch.Tensor{{1, 2}, {3, 4}})
      torch.diag(torch.Tensor{5, 6}, 1)]] },
   tril = { 'res x k', example = [[
      torch.tril(torch.ones(3, 3))
      torch.tril(torch.ones(3, 3), -1)]] },
   triu = { 'res x k', example = [[
      torch.triu(torch.ones(3, 3))
      torch.triu(torch.ones(3, 3), 1)]] },
   cat = { 'res x y dim', 'res tensors dim', example = [[
      torch.cat(torch.ones(1, 2), torch.zeros(1, 2), 1)
      torch.cat({torch.ones(1, 2), torch.zeros(1, 2), torch.ones(1, 1)}, 2)]] },
}
