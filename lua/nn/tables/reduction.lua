-- Modules from the rows of table_rows.lua: sums, products, differences and quotients of tables.

local expect, kernel, table_rows =
   require 'nn.checks.expect', require 'nn.kernels.kernel', require 'nn.tables.table_rows'
local integer_tables = require 'nn.tables.integer_tables'
local lazy_table, types = require 'torch.jit.lazy_table', require 'torch.base.types'
local numel = require('torch.base.geometry').numel

return function(Class, parent, _, name)

   local row = table_rows[name]

   function Class:__init(inplace)
      parent.__init(self)
      self.inplace = inplace or nil
      self.gradInput = {}
   end

   local programs = lazy_table(function(k)
      local p = { output = k.map(row.output), multiply = k.map 'z = x * y', gradients = {} }
      for i, text in ipairs(row.gradients or {}) do p.gradients[i] = k.map(text) end
      return p
   end)

   -- Checks the table: tensors of one type and size. Returns no kernels for whole numbers.
   local function check_input(self, input)
      expect.table(self, input)
      local first, count = input[1], #input
      if row.count then
         -- More tensors are not read, as in Torch7.
         if count < row.count then
            expect.fail(self, 'input must be a table of %d tensors (got %s)', row.count, expect.describe(input))
         end
         count = row.count
      elseif count == 0 then
         expect.fail(self, 'input must be a table of at least one tensor (got none)')
      end
      local T = types.of_tensor(first)
      local k = not (T and T.integer and self._type == T.tensor_name) and kernel.of(self, first) or nil
      for i = 2, count do
         if types.of_tensor(input[i]) ~= T or numel(input[i]) ~= numel(first) then
            expect.fail(self, 'tensors must be of one type and size (got %s and, as number %d, %s)',
               expect.describe(first), i, expect.describe(input[i]))
         end
      end
      return k, first, count
   end

   -- An operand that is not contiguous, copied to the output, which shares no memory with any operand.
   local function copied(k, y, x, other)
      if k.contiguous(other) or k.shares(y, x) or k.shares(y, other) then return nil end
      return y:copy(other)
   end

   function Class:updateOutput(input)
      local k, first, count = check_input(self, input)
      if not k then return integer_tables.output(name, self, input, count) end
      local run, n = programs[k].output, k.numel(first)
      local y = self.output
      if self.inplace then
         y:set(first)
         if not k.contiguous(y) then
            -- Works on its memory directly, whatever its layout.
            local sum = k.as_contiguous(first)
            for i = 2, count do
               local other = k.as_contiguous(input[i])
               run(k.ptr(sum), k.ptr(other), nil, k.ptr(sum), n)
               k.keep_alive(other)
            end
            y:copy(sum)
            return y
         end
      else
         y = k.resize_as(y, first)
         if count == 1 then return y:copy(first) end
      end
      local x = k.as_contiguous(first)
      for i = 2, count do
         local other = i == 2 and copied(k, y, x, input[i]) or k.as_contiguous(input[i])
         run(i == 2 and k.ptr(x) or k.ptr(y), k.ptr(other), nil, k.ptr(y), n)
         k.keep_alive(other)
      end
      k.keep_alive(x, y)
      return y
   end

   local function gradient_for(self, k, i, like)
      local r = self.gradInput[i]
      r = k.resize_as(k.is(r) and r or like.new(), like)
      self.gradInput[i] = r
      return r
   end

   -- gradOutput times the product of all tensors but one.
   local function others(self, k, input, g, count)
      local multiply, n = programs[k].multiply, k.numel(g)
      for i = 1, count do
         local r = gradient_for(self, k, i, input[i])
         local to = k.ptr(r)
         local from = k.ptr(g)
         for j = 1, count do
            if j ~= i then
               local other = k.as_contiguous(input[j])
               multiply(from, k.ptr(other), nil, to, n)
               k.keep_alive(other)
               from = to
            end
         end
         if count == 1 then r:copy(g) end
         k.keep_alive(r)
      end
   end

   function Class:updateGradInput(input, gradOutput)
      local k, first, count = check_input(self, input)
      if types.of_tensor(gradOutput) ~= types.of_tensor(first) or numel(gradOutput) ~= numel(first) then
         expect.fail(self, 'gradOutput must be of the size of the tensors, %s (got %s)', expect.describe(first),
            expect.describe(gradOutput))
      end
      if not k then return integer_tables.gradients(name, self, input, gradOutput, count) end
      local g, n = k.as_contiguous(gradOutput), k.numel(first)
      if row.others then
         others(self, k, input, g, count)
      else
         local gradients = programs[k].gradients
         local a, b = k.as_contiguous(first), k.as_contiguous(input[2] or first)
         for i = 1, count do
            if self.inplace and #gradients == 1 then
               self.gradInput[i] = k.is(self.gradInput[i]) and self.gradInput[i] or first.new()
               self.gradInput[i]:set(gradOutput)
            else
               local r = gradient_for(self, k, i, input[i])
               local run = gradients[i] or gradients[1]
               run(k.ptr(g), k.ptr(a), k.ptr(b), k.ptr(r), n)
               k.keep_alive(r)
            end
         end
         k.keep_alive(a, b)
      end
      k.keep_alive(g)
      for i = count + 1, #self.gradInput do self.gradInput[i] = nil end
      return self.gradInput
   end

   if name == 'CMulTable' then Class.updateGradInput_efficient = Class.updateGradInput end
end
