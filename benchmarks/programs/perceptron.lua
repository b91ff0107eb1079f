-- A perceptron with four outputs, one sample at a time, by views of rows.
local X, Y = torch.randn(100, 8), torch.randn(100, 4):sign()
local W = torch.zeros(4, 8)
return function()
   for i = 1, 100 do
      local x, y = X[i], Y[i]
      local wrong = torch.ne(torch.sign(W * x), y)
      if wrong:sum() > 0 then
         for k = 1, 4 do
            if wrong[k] == 1 then W[k]:add(0.1 * y[k], x) end
         end
      end
   end
end, 100
