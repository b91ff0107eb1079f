-- Argument names and examples of the operations in ops/reduce.lua.

return {
   sum = { example = [[
      x = torch.Tensor{{1, 2}, {3, 4}}
      x:sum()
      x:sum(1)
      x:sum(2)
      x:sum(2, false)]] },
   prod = { example = [[
      torch.prod(torch.Tensor{{1, 2}, {3, 4}})
      torch.prod(torch.Tensor{{1, 2}, {3, 4}}, 1)]] },
   mean = { example = [[
      torch.mean(torch.Tensor{{1, 2}, {3, 4}})
      torch.mean(torch.Tensor{{1, 2}, {3, 4}}, 1)]] },
   max = { '', 'res index x dim keepdim', example = [[
      x = torch.Tensor{{1, 9}, {7, 4}}
      torch.max(x)
      torch.max(x, 1)
      torch.max(x, 1, false)]] },
   min = { '', 'res index x dim keepdim', example = [[
      x = torch.Tensor{{1, 9}, {7, 4}}
      torch.min(x)
      torch.min(x, 2)]] },
   all = { example = [[
      torch.all(torch.Tensor{1, 2}:gt(0)), torch.all(torch.Tensor{1, -2}:gt(0))]] },
   any = { example = [[
      torch.any(torch.Tensor{1, -2}:gt(0)), torch.any(torch.Tensor{-1, -2}:gt(0))]] },
   trace = { example = [[
      torch.trace(torch.Tensor{{1, 2}, {3, 4}})]] },
   var = { 'x by_n', 'res x dim by_n keepdim', example = [[
      torch.var(torch.Tensor{1, 3}), torch.var(torch.Tensor{1, 3}, true)
      torch.var(torch.Tensor{{1, 3}, {2, 6}}, 2)]] },
   std = { 'x by_n', 'res x dim by_n keepdim', example = [[
      torch.std(torch.Tensor{1, 3, 5})
      torch.std(torch.Tensor{{1, 3, 5}, {2, 6, 10}}, 2)]] },
   norm = { 'x p', 'res x p dim keepdim', example = [[
      torch.norm(torch.Tensor{3, 4}), torch.norm(torch.Tensor{3, -4}, 1), torch.norm(torch.Tensor{3, 0}, 0)
      torch.norm(torch.Tensor{{3, 4}, {6, 8}}, 2, 2)]] },
   dist = { 'x y p', example = [[
      torch.dist(torch.Tensor{1, 1}, torch.Tensor{4, 5}), torch.dist(torch.Tensor{1, 1}, torch.Tensor{4, 5}, 1)]] },
   match = { 'res x y scale', example = [[
      torch.match(torch.Tensor{{0, 0}, {1, 1}}, torch.Tensor{{3, 4}, {0, 2}})]] },
   renorm = { 'res x p dim most', example = [[
      torch.renorm(torch.Tensor{{3, 4}, {0, 1}}, 2, 1, 1)]] },
   histc = { 'res x n low high', example = [[
      torch.histc(torch.Tensor{1, 2, 2, 4}, 3)
      torch.histc(torch.Tensor{1, 2, 2, 4}, 2, 0, 10)]] },
   bhistc = { 'res x n low high', example = [[
      torch.bhistc(torch.Tensor{{1, 2, 2, 4}, {0, 0, 4, 4}}, 2, 0, 4)]] },
   cumsum = { example = [[
      torch.cumsum(torch.Tensor{1, 2, 3})
      torch.cumsum(torch.Tensor{{1, 2}, {3, 4}}, 2)]] },
   cumprod = { example = [[
      torch.cumprod(torch.Tensor{2, 3, 4})]] },
   cross = { example = [[
      torch.cross(torch.Tensor{1, 0, 0}, torch.Tensor{0, 1, 0})]] },
   sort = { 'res index x dim descending', example = [[
      sorted, index = torch.sort(torch.Tensor{3, 1, 2})
      sorted
      index
      torch.sort(torch.Tensor{{3, 1}, {1, 2}}, 1, true)]] },
   topk = { 'res index x k dim largest sorted', example = [[
      values, index = torch.topk(torch.Tensor{5, 1, 4, 2}, 2, 1, true, true)
      values
      index]] },
   kthvalue = { 'res index x k dim keepdim', example = [[
      torch.kthvalue(torch.Tensor{5, 1, 4, 2}, 3)]] },
   median = { 'res index x dim keepdim', example = [[
      torch.median(torch.Tensor{{5, 1, 4}, {9, 7, 8}})
      torch.median(torch.Tensor{5, 1, 4, 2})[1] ]] },
   mode = { 'res index x dim keepdim', example = [[
      torch.mode(torch.Tensor{{2, 7, 7}, {3, 3, 1}})[2] ]] },
}
