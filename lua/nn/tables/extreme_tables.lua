-- nn.CMaxTable and nn.CMinTable: the largest or smallest of tensors of one size, element by element.

local torch = require 'torch'
local expect, kernel = require 'nn.expect', require 'nn.kernel'

return function(Class, parent, _, name)

   local beyond = name == 'CMaxTable' and 'greater' or 'less'
   local indices = name == 'CMaxTable' and 'maxIdx' or 'minIdx'
   local values = name == 'CMaxTable' and 'maxVals' or 'minVals'

   function Class:__init()
      parent.__init(self)
      self.gradInput = {}
      self[indices] = torch.Tensor()
      -- For Torch7's methods, in files from here.
      self.mask, self[values], self.gradMaxVals = torch.Tensor(), torch.Tensor(), torch.Tensor()
   end

   local programs = {}
   local function of(k)
      local p = programs[k]
      if not p then
         p = { output = k.map('q = ' .. beyond .. ' x y; z = select q x y'),
            which = k.map('q = ' .. beyond .. ' x y; z = select q v w'),
            gradient = k.map 'q = equal x v; z = select q y 0' }
         programs[k] = p
      end
      return p
   end

   local function check_input(self, input)
      expect.table(self, input)
      if #input == 0 then expect.fail(self, 'input must be a table of at least one tensor (got none)') end
      local k = kernel.of(self, input[1])
      for i = 1, #input do
         if not k.is(input[i]) or k.count(input[i]) ~= k.count(input[1]) or k.count(input[i]) == 0 then
            expect.refuse(self, 'tensors', 'of one type and size', input)
         end
      end
      return k, k.count(input[1])
   end

   function Class:updateOutput(input)
      local k, n = check_input(self, input)
      local p, y, which = of(k), k.like(self.output, input[1]), k.like(self[indices], input[1])
      y:copy(input[1])
      which:fill(1)
      for i = 2, #input do
         local x = k.plain(input[i])
         p.which(k.ptr(x), k.ptr(y), k.ptr(which), k.ptr(which), n, i)
         p.output(k.ptr(x), k.ptr(y), nil, k.ptr(y), n)
         k.alive(x)
      end
      k.alive(y, which)
      return y
   end

   function Class:updateGradInput(input, gradOutput)
      local k, n = check_input(self, input)
      if not k.is(gradOutput) then expect.grad_output(self, k, gradOutput, self.output) end
      expect.same_count(self, input[1], gradOutput)
      if not k.is(self[indices]) or k.count(self[indices]) ~= n then
         expect.fail(self, 'backward called before forward on this input')
      end
      local g, which, gradient = k.plain(gradOutput), k.plain(self[indices]), of(k).gradient
      for i = 1, #input do
         local r = k.like(self.gradInput[i] or input[i].new(), input[i])
         self.gradInput[i] = r
         gradient(k.ptr(which), k.ptr(g), nil, k.ptr(r), n, i)
         k.alive(r)
      end
      k.alive(g, which)
      for i = #input + 1, #self.gradInput do self.gradInput[i] = nil end
      return self.gradInput
   end

   function Class:clearState()
      self.gradInput = {}
      self.output:set()
      self[indices]:set()
      return self
   end
end
