-- A simple recurrent network over a sequence, forward and backward, by hand.
local n = 10
local U, W, b = torch.randn(n, 4):mul(0.1), torch.randn(n, n):mul(0.1), torch.zeros(n)
local xs, hs = torch.randn(20, 4), torch.zeros(21, n)
return function()
   for t = 1, 20 do
      hs[t + 1] = torch.tanh(torch.addmv(b, U, xs[t]):addmv(W, hs[t]))
   end
   local gU, gW, g = torch.zeros(n, 4), torch.zeros(n, n), torch.ones(n)
   for t = 20, 1, -1 do
      local h = hs[t + 1]
      g:cmul(torch.cmul(h, h):mul(-1):add(1))
      gU:addr(g, xs[t])
      gW:addr(g, hs[t])
      g = W:t() * g
   end
   U:add(-0.001, gU)
   W:add(-0.001, gW)
end, 20
