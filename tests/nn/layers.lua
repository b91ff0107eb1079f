-- Checks that hold for every layer: what this file returns takes a constructor, an input of a batch, another batch of
-- other sizes, and a wrong input, and gives a list of what does not hold.

local torch = torch

local function close(a, b, tolerance) return a:isSameSizeAs(b) and (a - b):abs():max() <= tolerance end

local function same(a, b)
   if not a:isSameSizeAs(b) then return false end
   return a:eq(b):all()
end

-- Output, gradInput and the gradients of parameters, as copies.
local function run(m, x, g)
   m:zeroGradParameters()
   local y = m:forward(x)
   g = g or y:clone():copy(torch.range(1, y:nElement()):mul(0.7):sin())
   local r = { y:clone(), m:backward(x, g):clone() }
   local _, d = m:parameters()
   for i = 1, d and #d or 0 do r[#r + 1] = d[i]:clone() end
   return r, g
end

local function all(a, b, compare, tolerance)
   if #a ~= #b then return false end
   for i = 1, #a do
      if not compare(a[i], b[i], tolerance) then return false end
   end
   return true
end

-- Gradients of <output, g> by central differences.
local function differences(m, x, g, t)
   local d, eps = t:clone(), 1e-6
   local flat, from = d:view(-1), t:contiguous():view(-1)
   assert(t:isContiguous())
   for i = 1, from:nElement() do
      local was = from[i]
      from[i] = was + eps
      local up = m:forward(x):dot(g)
      from[i] = was - eps
      flat[i] = (up - m:forward(x):dot(g)) / (2 * eps)
      from[i] = was
   end
   return d
end

-- The same elements with other strides.
local function turned(t) return t:transpose(1, t:dim()):contiguous():transpose(1, t:dim()) end

return function(make, x, other, wrong)
   local failures = {}
   local function expect(name, fine) if not fine then failures[#failures + 1] = name end end
   torch.manualSeed(7)
   local m = make()
   for _, p in ipairs(m:parameters() or {}) do p:copy(torch.range(1, p:nElement()):mul(1.3):sin()) end
   local first, g = run(m, x)

   expect('gradInput', close(first[2], differences(m, x, g, x), 1e-5))
   local parameters = m:parameters()
   for i = 1, parameters and #parameters or 0 do
      expect('gradient of parameter ' .. i, close(first[2 + i], differences(m, x, g, parameters[i]), 1e-5))
   end

   expect('twice', all(first, (run(m, x, g)), same))
   local threads = torch.getnumthreads()
   torch.setnumthreads(1)
   expect('one thread', all(first, (run(m, x, g)), same))
   torch.setnumthreads(threads)

   run(m, other)
   expect('sizes that change', all(first, (run(m, x, g)), same))

   expect('not contiguous', all(first, (run(m, turned(x), turned(g))), close, 1e-12))

   m:zeroGradParameters()
   m:forward(x)
   m:backward(x, g, 0.5)
   m:backward(x, g, 0.25)
   local _, sums = m:parameters()
   for i = 1, sums and #sums or 0 do
      expect('scale of parameter ' .. i, close(sums[i], torch.mul(first[2 + i], 0.75), 1e-10))
   end

   expect('clone', all(first, (run(m:clone(), x, g)), same))
   expect('written and read', all(first, (run(torch.deserialize(torch.serialize(m)), x, g)), same))
   m:clearState()
   expect('clearState', all(first, (run(m, x, g)), same))

   local f = m:clone():float()
   local floats = run(f, x:float(), g:float())
   for i = 1, #first do
      expect('float ' .. i, floats[i]:type() == 'torch.FloatTensor'
         and close(floats[i]:double(), first[i], 2e-5 * math.max(first[i]:clone():abs():max(), 1)))
   end
   expect('another type', not pcall(f.forward, f, x))
   expect('there and back', all(first, (run(f:double(), x, g)), close, 1e-5))

   local fine, message = pcall(m.forward, m, wrong)
   expect('error for a wrong input: ' .. tostring(message), not fine and message:find('expected', 1, true)
      and message:find('(got', 1, true))
   m:forward(x)
   fine, message = pcall(m.backward, m, x, g.new(3, 2):zero())
   expect('error for a wrong gradOutput: ' .. tostring(message), not fine and message:find('expected', 1, true))
   return failures
end
