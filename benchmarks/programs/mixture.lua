-- Steps of a mixture of Gaussians on points of a line: responsibilities by expanded rows and columns.
local x = torch.randn(40):view(40, 1)
local mean = torch.Tensor{ -1, 0, 1 }:view(1, 3)
return function()
   for _ = 1, 20 do
      local d = x:expand(40, 3) - mean:expand(40, 3)
      local p = torch.exp(torch.cmul(d, d):mul(-0.5))
      p:cdiv(p:sum(2):expand(40, 3))
      local weight = p:sum(1)
      mean = torch.cdiv(torch.cmul(p, x:expand(40, 3)):sum(1), weight)
   end
   return mean[1][1]
end, 20
