-- Linear regression in shuffled batches.
local X, Y = torch.randn(200, 6), torch.randn(200, 1)
local w = torch.zeros(6, 1)
return function()
   local order = torch.randperm(200):long()
   for k = 1, 200, 10 do
      local pick = order:narrow(1, k, 10)
      local x, y = X:index(1, pick), Y:index(1, pick)
      local e = torch.mm(x, w):add(-1, y)
      w:addmm(-0.01, x:t(), e)
   end
   return w:norm()
end, 20
