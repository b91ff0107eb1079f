-- A restricted Boltzmann machine by contrastive divergence, a batch of 10 at a time.
local V, W = torch.rand(60, 12):round(), torch.randn(12, 8):mul(0.1)
local b, c = torch.zeros(1, 12), torch.zeros(1, 8)
local function sample(p) return torch.lt(torch.rand(p:size()), p):double() end
return function()
   for k = 1, 60, 10 do
      local v = V:narrow(1, k, 10)
      local h = torch.sigmoid(v * W + c:expand(10, 8))
      local v1 = torch.sigmoid(sample(h) * W:t() + b:expand(10, 12))
      local h1 = torch.sigmoid(v1 * W + c:expand(10, 8))
      W:add(0.01, v:t() * h - v1:t() * h1)
      b:add(0.1, (v - v1):mean(1))
      c:add(0.1, (h - h1):mean(1))
   end
   return W:norm()
end, 6
