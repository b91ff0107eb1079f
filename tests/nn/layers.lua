-- Checks that hold for every layer: what this file returns takes a constructor, an input of a batch, another one of
-- other sizes, a wrong input, and options, and gives a list of what does not hold. Inputs and outputs may be tables of
-- tables; those that are no DoubleTensors, such as indices, have no gradients.
--
--    options.seeded    results depend on random numbers: each run begins with the same seed
--    options.smooth    false where finite differences do not tell the gradient
--    options.any       true where any input is taken: none is wrong; 'gradient' where any gradOutput is

local torch = torch
local floats = { ['torch.DoubleTensor'] = true, ['torch.FloatTensor'] = true }

-- All tensors of nested tables.
local function list(value, to)
   to = to or {}
   if torch.isTensor(value) then
      to[#to + 1] = value
   elseif type(value) == 'table' then
      for i = 1, #value do list(value[i], to) end
   end
   return to
end

-- f of each tensor, in the same tables.
local function map(value, f)
   if torch.isTensor(value) then return f(value) end
   if type(value) ~= 'table' then return value end
   local to = {}
   for i = 1, #value do to[i] = map(value[i], f) end
   return to
end

local function clone(value) return map(value, function(t) return t:clone() end) end

local function close(a, b, tolerance)
   return a:isSameSizeAs(b) and (a:nElement() == 0 or (a:double() - b:double()):abs():max() <= tolerance)
end

local function same(a, b)
   if not a:isSameSizeAs(b) then return false end
   return a:nElement() == 0 or a:eq(b):all()
end

local function dot(a, b)
   local sum = 0
   a, b = list(a), list(b)
   for i = 1, #a do sum = sum + a[i]:dot(b[i]) end
   return sum
end

local seeded = false

local function forward(m, x)
   if seeded then torch.manualSeed(5) end
   return m:forward(x)
end

-- Outputs, gradInputs and the gradients of parameters, as copies; gradOutput; and how many outputs there are.
local function run(m, x, g)
   m:zeroGradParameters()
   local y = forward(m, x)
   g = g or map(y, function(t) return t:clone():copy(torch.range(1, t:nElement()):mul(0.7):sin()) end)
   local r = list(clone(y))
   local outputs = #r
   for _, t in ipairs(list(m:backward(x, g))) do r[#r + 1] = t:clone() end
   local inputs = #r - outputs
   local _, d = m:parameters()
   for i = 1, d and #d or 0 do r[#r + 1] = d[i]:clone() end
   return r, g, outputs, inputs
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
      local up = dot(forward(m, x), g)
      from[i] = was - eps
      flat[i] = (up - dot(forward(m, x), g)) / (2 * eps)
      from[i] = was
   end
   return d
end

-- Copies elements to other strides.
local function turned(t)
   if t:dim() == 1 then return torch.cat({ t:view(-1, 1), t:view(-1, 1) }, 2):select(2, 1) end
   return t:transpose(1, t:dim()):contiguous():transpose(1, t:dim())
end

local function float(t) return floats[t:type()] and t:float() or t end

return function(make, x, other, wrong, options)
   options = options or {}
   seeded = options.seeded
   local failures = {}
   local function expect(name, fine) if not fine then failures[#failures + 1] = name end end
   torch.manualSeed(7)
   local m = make()
   for _, p in ipairs(m:parameters() or {}) do p:copy(torch.range(1, p:nElement()):mul(1.3):sin()) end
   local first, g, outputs, inputs = run(m, x)
   local own = type(x) == 'table' and list(x) or { x }

   if options.smooth ~= false then
      for i, t in ipairs(own) do
         if t:type() == 'torch.DoubleTensor' and outputs + i <= outputs + inputs then
            expect('gradInput ' .. i, close(first[outputs + i], differences(m, x, g, t), 1e-5))
         end
      end
      local parameters = m:parameters()
      for i = 1, parameters and #parameters or 0 do
         expect('gradient of parameter ' .. i,
            close(first[outputs + inputs + i], differences(m, x, g, parameters[i]), 1e-5))
      end
   end

   expect('twice', all(first, (run(m, x, g)), same))
   local threads = torch.getnumthreads()
   torch.setnumthreads(1)
   expect('one thread', all(first, (run(m, x, g)), same))
   torch.setnumthreads(threads)

   run(m, other)
   expect('sizes that change', all(first, (run(m, x, g)), same))

   expect('not contiguous', all(first, (run(m, map(x, turned), map(g, turned))), close, 1e-12))

   m:zeroGradParameters()
   forward(m, x)
   m:backward(x, g, 0.5)
   forward(m, x)
   m:backward(x, g, 0.25)
   local _, sums = m:parameters()
   for i = 1, sums and #sums or 0 do
      expect('scale of parameter ' .. i, options.unscaled or
         close(sums[i], torch.mul(first[outputs + inputs + i], 0.75), 1e-10))
   end

   expect('clone', all(first, (run(m:clone(), x, g)), same))
   expect('written and read', all(first, (run(torch.deserialize(torch.serialize(m)), x, g)), same))
   m:clearState()
   expect('clearState', all(first, (run(m, x, g)), same))

   local f = m:clone():float()
   local single = run(f, map(x, float), map(g, float))
   for i = 1, #first do
      expect('float ' .. i, (single[i]:type() == 'torch.FloatTensor' or not floats[first[i]:type()])
         and close(single[i]:double(), first[i]:double(), 2e-5 * math.max(torch.abs(first[i]:double()):max(), 1)))
   end
   if not options.any then expect('another type', not pcall(f.forward, f, x)) end
   expect('there and back', all(first, (run(f:double(), x, g)), close, 1e-5))

   if not options.any then
      local fine, message = pcall(m.forward, m, wrong)
      expect('error for a wrong input: ' .. tostring(message), not fine and message:find('(got', 1, true))
   end
   if not options.any then
      forward(m, x)
      local fine, message = pcall(m.backward, m, x, torch.DoubleTensor(3, 7):zero())
      expect('error for a wrong gradOutput: ' .. tostring(message), not fine and message:find('(got', 1, true))
   end
   return failures
end
