-- Modules from the rows of transfer_rows.lua. Their methods are made from a template, so that each has separate code
-- for the compiler.

local torch = require 'torch'
local expect = require 'nn.checks.expect'
local kernel, transfer_rows = require 'nn.kernels.kernel', require 'nn.transfer.transfer_rows'
local lazy_table, template = require 'torch.jit.lazy_table', require 'torch.jit.template'
local operation = require('torch.dispatch.install').operation

-- The functions of k for a program.
local function per_type(program)
   return lazy_table(function(k) return k.map(program) end)
end

-- A program on tensors that are not contiguous, as an operation: f(result, x, [y, w,] v, u), with all registers.
local function walk(name, signature, program)
   return operation { name, { signature, 'elementwise.map', { program } }, types = 'real' }
end

-- The programs of a row, for contiguous tensors and for others.
local function programs_of(name, row)
   return { output = per_type(row.output), gradient = per_type(row.gradient),
      walk_output = walk(name, 'r t n n', row.output), walk_gradient = walk(name, 'r t t t n n', row.gradient) }
end

local source = [[
local function output_run(self, k, n)
   local row = $special special_of(self, n)
   return (row or plain).output[k]
end

local function gradient_run(self, k, n)
   local row = $special special_of(self, n)
   return (row or plain).gradient[k]
end

local function updateOutput(self, input)
   local k = kernel.of(self, input)
   if not ($inplace or k.contiguous(input)) then
      local row = $special special_of(self, k.numel(input))
      return ((row or plain).walk_output(k.resize_as(self.output, input), input, v_of(self), u_of(self)))
   end
   local x = k.as_contiguous(input)
   local n = k.numel(x)
   local run, y = output_run(self, k, n), nil
   if $inplace then
      if not whole or input._dim > 1 and x == input then run = in_place.output[k] end
      run(k.ptr(x), nil, nil, k.ptr(x), n, v_of(self), u_of(self))
      if not k.contiguous(input) then input:copy(x) end
      self.output:set(input)
      return self.output
   end
   y = k.resize_as(self.output, input)
   run(k.ptr(x), nil, nil, k.ptr(y), n, v_of(self), u_of(self))
   k.keep_alive(x, y)
   return y
end

local function updateGradInput(self, input, gradOutput)
   local k = kernel.of(self, input)
   -- Only programs that read the output need a forward of the same input.
   local w = $output_read and self.output or input
   if not (k.is(gradOutput) and k.is(w)) then check.grad_output(self, k, gradOutput, w) end
   local n = k.numel(input)
   if k.numel(gradOutput) ~= n then check.same_count(self, input, gradOutput) end
   if k.numel(w) ~= n then check.fail(self, 'backward called before forward on this input') end
   if not ($inplace or k.contiguous(input) and k.contiguous(gradOutput) and k.contiguous(w)) then
      local row = $special special_of(self, n)
      return ((row or plain).walk_gradient(k.resize_as(self.gradInput, input), input, gradOutput, w, v_of(self),
         u_of(self)))
   end
   local x, g = k.as_contiguous(input), k.as_contiguous(gradOutput)
   w = k.as_contiguous(w)
   if $inplace then
      in_place.gradient[k](k.ptr(x), k.ptr(g), k.ptr(w), k.ptr(g), n, v_of(self), u_of(self))
      if not k.contiguous(gradOutput) then gradOutput:copy(g) end
      self.gradInput:set(gradOutput)
      return self.gradInput
   end
   local r = k.resize_as(self.gradInput, input)
   gradient_run(self, k, n)(k.ptr(x), k.ptr(g), k.ptr(w), k.ptr(r), n, v_of(self), u_of(self))
   k.keep_alive(x, g, w, r)
   return r
end

return updateOutput, updateGradInput
]]

local function zero() return 0 end

return function(Class, parent, nn, name)
   local row = transfer_rows[name]
   local fields, changed = row.fields or {}, row.in_place or {}

   local in_place = false
   for _, field in ipairs(fields) do in_place = in_place or field[1] == 'inplace' end
   local special = nil
   if row.special then
      local known = {}
      function special(self, n)
         local other = row.special(self, n)
         if not other then return nil end
         known[other] = known[other] or programs_of(name, other)
         return known[other]
      end
   end
   Class.updateOutput, Class.updateGradInput = template.compile('nn.' .. name, source,
      { inplace = in_place and 'self.inplace == true' or 'false', special = row.special and '' or 'nil and',
         output_read = string.find(row.gradient, '%f[%a]w%f[%A]') and 'true' or 'false' },
      { kernel = kernel, check = expect, plain = programs_of(name, row), special_of = special,
         v_of = row.v or zero, u_of = row.u or zero,
         in_place = { output = per_type(changed.output or row.output),
            gradient = per_type(changed.gradient or row.gradient) }, whole = changed.whole == true })

   function Class:__init(...)
      parent.__init(self)
      local given, first = { ... }, ...
      if row.flag_first and type(first) == 'boolean' then given[1] = nil end
      for i, field in ipairs(fields) do
         local value, default = given[i], field[2]
         if type(default) == 'number' then
            value = expect.number('nn.' .. name, field[1], value or default)
         elseif value == nil then
            value = default
         elseif row.flag_first and type(value) == 'number' then
            -- Torch7 passes it to C.
            value = value ~= 0
         elseif value and type(default) == 'boolean' then
            expect.flag(self, field[1], value)
         end
         self[field[1]] = value
      end
      for field, class in next, row.parts or {} do self[field] = nn[class]() end
      if row.check then row.check(self) end
   end

   -- Fields that files of old versions lack.
   function Class:upgrade()
      for _, field in ipairs(fields) do
         if self[field[1]] == nil then self[field[1]] = field[2] end
      end
   end

   if row.tostring then
      function Class:__tostring__() return torch.type(self) .. row.tostring(self) end
   end
   if name == 'Threshold' then
      function Class:validateParameters()
         self.inplace = self.inplace or false
         expect.flag(self, 'inplace', self.inplace)
         if self.inplace and self.val > self.threshold then
            expect.fail(self, 'in place the value must be at most the threshold (got %s and %s)', self.val,
               self.threshold)
         end
      end
   end
   if name == 'LogSigmoid' then
      function Class:clearState()
         if torch.isTensor(self.buffer) then self.buffer:set() end
         return parent.clearState(self)
      end
   end
end
