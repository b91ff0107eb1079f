-- Pictures of bytes, each channel less its mean and over its standard deviation, in shuffled batches.
local pictures = torch.ByteTensor(100, 3, 8, 8):random(0, 255)
return function()
   local x = pictures:index(1, torch.randperm(100):long()):float()
   for c = 1, 3 do
      local channel = x[{ {}, c, {}, {} }]
      channel:add(-channel:mean())
      channel:div(channel:std())
   end
   local total = 0
   for k = 1, 100, 20 do total = total + x:narrow(1, k, 20):clone():sum() end
   return total
end, 1
