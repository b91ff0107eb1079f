-- The game of life on a grid with a border that stays empty.
local n = 24
local grid = torch.ByteTensor(n + 2, n + 2):zero()
grid:narrow(1, 2, n):narrow(2, 2, n):copy(torch.rand(n, n):gt(0.6))
return function()
   for _ = 1, 10 do
      local count = torch.ByteTensor(n, n):zero()
      for i = 1, 3 do
         for j = 1, 3 do
            if i ~= 2 or j ~= 2 then count:add(grid:narrow(1, i, n):narrow(2, j, n)) end
         end
      end
      local inner = grid:narrow(1, 2, n):narrow(2, 2, n)
      inner:copy(torch.eq(count, 3) + torch.eq(count, 2):cmul(inner))
   end
   return grid:sum()
end, 10
