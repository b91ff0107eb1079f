-- The largest eigenvalue of a symmetric matrix by powers.
local A = torch.randn(12, 12)
A = A + A:t()
local v = torch.ones(12)
return function()
   local value = 0
   for _ = 1, 100 do
      local w = A * v
      value = w:dot(v)
      v = w / w:norm()
   end
   return value
end, 100
