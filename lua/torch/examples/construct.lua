-- Argument names and examples of the operations in ops/construct.lua.

local function sized(name, value)
   local last = value and ', ' .. value or ''
   return {
      { 'torch.' .. name .. '([res,] rows, columns, ...' .. last .. ')',
        'res:' .. name .. '(rows, columns, ...' .. last .. ')' },
      { 'torch.' .. name .. '([res,] sizes' .. last .. ')', 'res:' .. name .. '(sizes' .. last .. ')' },
   }
end

return {
   zeros = { forms = sized 'zeros', example = [[
      torch.zeros(2, 3)
      torch.zeros(torch.LongStorage{2, 2}):size(1)]] },
   ones = { forms = sized 'ones', example = [[
      torch.ones(2, 2)
      torch.ones(3, 'torch.IntTensor'):type()]] },
   full = { forms = sized('full', 'value'), example = [[
      torch.full(2, 3, 7)
      torch.full({2}, 0.5)]] },
   arange = { 'res last', 'res first last step', example = [[
      torch.arange(3)
      torch.arange(1, 2, 0.5)]] },
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
   stack = { 'res x y dim', 'res tensors dim', example = [[
      torch.stack({torch.Tensor{1, 2}, torch.Tensor{3, 4}})
      torch.stack(torch.Tensor{1, 2}, torch.Tensor{3, 4}, -1)]] },
   flatten = { 'x first last', example = [[
      torch.Tensor{{1, 2}, {3, 4}}:flatten()
      torch.zeros(2, 3, 4):flatten(2):size(2)]] },
   shape = { example = [[
      x = torch.zeros(2, 3)
      x:shape()
      x:shape(-1)]] },
   item = { example = [[
      torch.Tensor{{5}}:item()]] },
}
