-- Steps of optimisers over whole vectors, as programs that go through memory once (see nn/typed.lua, `map`).

local kernel = require 'nn.kernel'
local errors = require 'torch.core.errors'

-- The function of a program: f(z, x, y, w, v, u) sets z from tensors of one type and size, nil for those that
-- the program does not name, and numbers.
return function(text)
   local made = {}
   local function program_of(k)
      local run = made[k]
      if not run then
         run = k.map(text)
         made[k] = run
      end
      return run
   end

   return function(z, x, y, w, v, u)
      local k = kernel.of_type(z)
      local n = k and k.count(z)
      if not k or x ~= nil and not (k.is(x) and k.count(x) == n) or y ~= nil and not (k.is(y) and k.count(y) == n) or
         w ~= nil and not (k.is(w) and k.count(w) == n) then
         errors.raise('optim: x, the gradient and the state expected as DoubleTensors or FloatTensors of one size')
      end
      local to = k.plain(z)
      local a, b, c = x ~= nil and k.plain(x) or nil, y ~= nil and k.plain(y) or nil, w ~= nil and k.plain(w) or nil
      program_of(k)(a ~= nil and k.ptr(a) or nil, b ~= nil and k.ptr(b) or nil, c ~= nil and k.ptr(c) or nil,
         k.ptr(to), n, v, u)
      k.alive(a, b, c, to)
      if not k.contiguous(z) then z:copy(to) end
      return z
   end
end
