-- Updates of optimisers over whole vectors, as operations: each goes through memory once.

local operation = require('torch.dispatch.install').operation

-- The operation of a program, see torch/kernels/elementwise/fused.lua: f(z, x, y, w, v, u) sets z from tensors of its
-- type and size, and from numbers. Operands that the program does not name are omitted from the call.
local function fuse(text)
   local signature = 'r'
   for name, kind in string.gmatch('xt yt wt vv uv', '(%w)(%w)') do
      if string.find(text, '%f[%w]' .. name .. '%f[%W]') then signature = signature .. ' ' .. kind end
   end
   return operation { 'optim', { signature, 'elementwise.map', { text } }, types = 'real' }
end

-- Programs of several methods. They round as the original's addcmul and addcdiv.
local programs = {
   -- Running means of y, and of its squares: (z, x, y, v, u) with x the mean so far.
   mean = 'z = x * v + y * u',
   mean_of_squares = 'z = x * v + y * u * y',
   -- (z, x, y) adds the square of y to x.
   sum_of_squares = 'z = x + y * y',
   -- (z, x, v) is the root of a mean of squares, (x, x, y, w, v) adds v y / w to x.
   root = 'z = sqrt(x) + v',
   scaled_step = 'z = x + y * v / w',
   scaled = 'z = x * v',
   magnitude = 'z = absolute(x) + v',
   larger = 'z = maximum(x, y)',
}

local updates = { fuse = fuse, programs = programs }
for name, text in pairs(programs) do updates[name] = fuse(text) end
return updates
