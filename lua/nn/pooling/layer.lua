-- Methods of pooling of one, two and three dimensions. A class gives a spec:
--
--    dimensions    2 or 3; 1 for frames x features
--    kernel, stride, pad, dilation    names of its fields for t, h and w, false where there is none
--    max           true for maxima, whose indices are kept
--    include       the name of the field that says whether padding counts in an average

local concat, floor, ipairs, type = table.concat, math.floor, ipairs, type
local torch = require 'torch'
local kernel, check, sizes = require 'nn.kernel', require 'nn.check', require 'nn.sizes'
local engine, plan = require 'nn.pooling.engine', require 'nn.pooling.plan'
local describe, fail = check.describe, check.fail

local layer = {}

local numbers, wanted = {}, {}
local KERNEL, STRIDE, PAD, DILATION, OUT = 4, 7, 10, 13, 16

local function read(module, names, at, missing, least)
   for d = 1, 3 do
      local name = names and names[d]
      local value = missing
      if name and module[name] ~= nil then value = module[name] end
      if type(value) ~= 'number' or value < least or value ~= floor(value) then
         fail(module, '%s of a whole number of at least %d expected (got %s)', name, least, describe(value))
      end
      numbers[at + d - 1] = value
   end
end

-- Reads the sizes of a call; gives the plan, the number of planes, and of the dimensions of x.
local function prepare(module, spec, x)
   local n, count = spec.dimensions, x._dim
   local temporal = n == 1
   local least = temporal and 2 or n + 1
   if count ~= least and count ~= least + 1 then
      fail(module, 'input of %d or %d dimensions expected (got %s)', least, least + 1, describe(x))
   end
   local inner = temporal and 2 or n
   for d = 1, 3 do numbers[d] = 1 end
   for d = 1, inner do numbers[3 - inner + d] = x._size[count - inner + d - 1] end
   read(module, spec.kernel, KERNEL, 1, 1)
   read(module, spec.stride, STRIDE, 1, 1)
   read(module, spec.pad, PAD, 0, 0)
   read(module, spec.dilation, DILATION, 1, 1)
   local planes = 1
   for d = 0, count - inner - 1 do
      planes = planes * x._size[d]
      wanted[d + 1] = x._size[d]
   end
   local padded = numbers[PAD] + numbers[PAD + 1] + numbers[PAD + 2] > 0
   for d = 0, 2 do
      local size, k, s, p, l = numbers[1 + d], numbers[KERNEL + d], numbers[STRIDE + d], numbers[PAD + d],
         numbers[DILATION + d]
      if p > k / 2 then
         fail(module, 'padding of at most half of the kernel expected (got %d for a kernel of %d)', p, k)
      end
      local out = plan.output(size, k, s, p, l, module.ceil_mode, padded)
      if out < 1 then
         fail(module, 'input too small: windows of %d and padding of %d leave an output of %d (got %s)',
            l * (k - 1) + 1, p, out, describe(x))
      end
      numbers[OUT + d] = out
      if d >= 3 - inner then wanted[count - 2 + d] = out end
   end
   -- Older modules have no such field; padding counted then.
   local include = spec.sums and 'none' or not spec.include or module[spec.include] ~= false
   return engine.plan(module, numbers, include, temporal), planes, count
end

local function sizes_storage(count)
   local s = torch.LongStorage(count)
   for d = 1, count do s[d] = wanted[d] end
   return s
end

layer.prepare, layer.wanted = prepare, wanted

local function resized_indices(module, count)
   local t = module.indices
   if not torch.isTensor(t) then
      t = torch.LongTensor()
   elseif t:type() ~= 'torch.LongTensor' then
      t = t:long()
   end
   module.indices = t
   t:resize(sizes_storage(count))
   if not t:isContiguous() then t:set(t.new(t:size())) end
   return t
end

-- The indices that forward left, as they are to be followed.
function layer.indices(module, like)
   local t = module.indices
   if not torch.isTensor(t) or t:type() ~= 'torch.LongTensor' or t:nElement() ~= like:nElement() then
      fail(module, 'indices of forward expected, %s of them (got %s)', check.shape(like), describe(t))
   end
   return t:contiguous()
end

-- Adds the methods for a spec to a class.
function layer.methods(Class, parent, spec)

   -- The factor that undoes an average, for modules that sum.
   local function factor(self)
      if spec.max or not spec.divide or self[spec.divide] then return 1 end
      return numbers[4] * numbers[5] * numbers[6]
   end

   function Class:updateOutput(input)
      local k = kernel.of(self, input)
      local p, planes, count = prepare(self, spec, input)
      local x = k.plain(input)
      local y = sizes.resized(k, self.output, wanted, count)
      self.output = y
      if spec.remember then
         for i, name in ipairs(spec.remember) do self[name] = numbers[3 - #spec.remember + i] end
      end
      if spec.max then
         engine.run(k, engine.MAX, p, planes, x, y, resized_indices(self, count))
      else
         engine.run(k, engine.AVERAGE, p, planes, x, y)
         if factor(self) ~= 1 then y:mul(factor(self)) end
      end
      return y
   end

   function Class:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local p, planes, count = prepare(self, spec, input)
      sizes.check(self, k, gradOutput, wanted, count)
      local g, r = k.plain(gradOutput), k.like(self.gradInput, input)
      if spec.max then
         local what = spec.dimensions == 1 and engine.RELATIVE_BACK or engine.MAX_BACK
         if not engine.run(k, what, p, planes, r, g, layer.indices(self, g)) then
            fail(self, 'indices of elements of the input expected: they were changed after forward')
         end
      else
         engine.run(k, engine.SPREAD, p, planes, r, g)
         if factor(self) ~= 1 then r:mul(factor(self)) end
      end
      return r
   end

   if spec.max then
      function Class:empty() self:clearState() end

      function Class:clearState()
         if torch.isTensor(self.indices) then self.indices:set() end
         return parent.clearState(self)
      end
   end

   local function setter(field, value)
      return function(self)
         self[field] = value
         return self
      end
   end
   if spec.rounding then Class.ceil, Class.floor = setter('ceil_mode', true), setter('ceil_mode', false) end
   if spec.include then
      Class.setCountIncludePad, Class.setCountExcludePad = setter(spec.include, true), setter(spec.include, false)
   end
end

-- The values of fields for t, w, h, as Torch7 orders them.
local function joined(module, names, separator)
   local list = {}
   for _, d in ipairs { 1, 3, 2 } do
      local name = names[d]
      if name then list[#list + 1] = ('%d'):format(module[name] or 0) end
   end
   return concat(list, separator)
end

-- 'nn.SpatialMaxPooling(2x2, 2,2)', and padding and dilation where there are any.
function layer.describe(module, spec)
   local t = { torch.type(module) .. '(' .. joined(module, spec.kernel, 'x'), joined(module, spec.stride, ',') }
   for d = 1, 3 do
      local name = spec.pad and spec.pad[d]
      if name and (module[name] or 0) ~= 0 then
         t[3] = joined(module, spec.pad, ',')
         break
      end
   end
   if spec.dilation then t[#t + 1] = joined(module, spec.dilation, ',') end
   return concat(t, ', ') .. ')'
end

return layer
