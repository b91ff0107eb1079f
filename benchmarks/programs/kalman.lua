-- A Kalman filter of position and speed in the plane, from noisy positions.
local F = torch.eye(4)
F[1][3], F[2][4] = 0.1, 0.1
local H = torch.eye(4):narrow(1, 1, 2):clone()
local Q, R = torch.eye(4) * 0.01, torch.eye(2) * 0.5
local seen = torch.randn(50, 2)
return function()
   local x, P = torch.zeros(4), torch.eye(4)
   for t = 1, 50 do
      x = F * x
      P = F * P * F:t() + Q
      local S = H * P * H:t() + R
      local K = P * H:t() * torch.inverse(S)
      x = x + K * (seen[t] - H * x)
      P = P - K * H * P
   end
   return x:norm()
end, 50
