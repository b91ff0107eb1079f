-- Updates of optimisers over whole vectors, as operations: each goes through memory once.

local operation = require('torch.dispatch.install').operation

-- The operation of a program, see torch/kernels/elementwise/fused.lua: f(z, x, y, w, v, u) sets z from tensors of its
-- type and size, and from numbers. Those that the program does not name are left out of the call.
return function(text)
   local signature = 'r'
   for name, kind in string.gmatch('xt yt wt vv uv', '(%w)(%w)') do
      if string.find(text, '%f[%w]' .. name .. '%f[%W]') then signature = signature .. ' ' .. kind end
   end
   return operation { 'optim', { signature, 'elementwise.map', { text } }, types = 'real' }
end
