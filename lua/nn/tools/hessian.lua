-- nn.hessian.enable(): gives modules methods for the diagonal of the Hessian, by the approximation of
-- Levenberg and Marquardt: updateDiagHessianInput, accDiagHessianParameters, initDiagHessianParameters.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(hessian, nn)

   -- The functions of which modules of programs make their methods; `enable` adds them to nn.hessian, as it always did.
   local shared = {}

   local function same_number(name, a, b)
      if #a ~= #b then expect.fail(name, 'as many names as counterparts expected (got %d and %d)', #a, #b) end
   end

   -- Accumulates the diagonals of parameters in the fields `diagonals`, as the fields `gradients` are by the squares of
   -- the input.
   function shared.accDiagHessianParameters(module, input, diagHessianOutput, gradients, diagonals, scale)
      same_number('accDiagHessianParameters', gradients, diagonals)
      module.inputSq = module.inputSq or input.new()
      module.inputSq:resizeAs(input):cmul(input, input)
      local kept, output = {}, module.output
      for i, name in ipairs(gradients) do
         kept[i] = module[name]
         local diagonal = module[diagonals[i]]
         if not diagonal then
            diagonal = kept[i].new():resizeAs(kept[i]):zero()
            module[diagonals[i]] = diagonal
         end
         module[name] = diagonal
      end
      module.output = output.new():resizeAs(output)
      module:forward(module.inputSq)
      module:accGradParameters(module.inputSq, diagHessianOutput, scale or 1)
      for i, name in ipairs(gradients) do module[name] = kept[i] end
      module.output = output
   end

   -- Sets diagHessianInput, as gradInput by the squares of the fields `weights`, which go to the fields `squares`.
   function shared.updateDiagHessianInput(module, input, diagHessianOutput, weights, squares)
      same_number('updateDiagHessianInput', weights, squares)
      module.diagHessianInput = module.diagHessianInput or input.new()
      module.diagHessianInput:resizeAs(input):zero()
      local gradInput, kept = module.gradInput, {}
      module.gradInput = module.diagHessianInput
      for i, name in ipairs(weights) do
         kept[i] = module[name]
         local square = module[squares[i]] or kept[i].new()
         module[squares[i]] = square:resizeAs(kept[i]):cmul(kept[i], kept[i])
         module[name] = square
      end
      module.diagHessianInput = module:updateGradInput(input, diagHessianOutput)
      for i, name in ipairs(weights) do module[name] = kept[i] end
      module.gradInput = gradInput
   end

   function shared.updateDiagHessianInputPointWise(module, input, diagHessianOutput)
      local ones = diagHessianOutput.new():resizeAs(diagHessianOutput):fill(1)
      shared.updateDiagHessianInput(module, input, ones, {}, {})
      module.diagHessianInput:cmul(module.diagHessianInput):cmul(diagHessianOutput)
   end

   function shared.initDiagHessianParameters(module, gradients, diagonals)
      module.diagHessianInput = module.diagHessianInput or module.gradInput.new()
      for i, name in ipairs(gradients) do
         local gradient = module[name]
         module[diagonals[i]] = module[diagonals[i]] or gradient.new():resizeAs(gradient):zero()
      end
   end

   local GRADIENTS, DIAGONALS = { 'gradWeight', 'gradBias' }, { 'diagHessianWeight', 'diagHessianBias' }

   -- Linear maps of any shape: convolutions too.
   local function linear(class)
      function class:updateDiagHessianInput(input, diagHessianOutput)
         shared.updateDiagHessianInput(self, input, diagHessianOutput, { 'weight' }, { 'weightSq' })
         return self.diagHessianInput
      end

      function class:accDiagHessianParameters(input, diagHessianOutput, scale)
         shared.accDiagHessianParameters(self, input, diagHessianOutput, GRADIENTS, DIAGONALS, scale)
      end
   end

   -- Functions of single elements: the second derivative of the output is left out where it is 0, or added.
   local function elementwise(class)
      function class:updateDiagHessianInput(input, diagHessianOutput)
         shared.updateDiagHessianInputPointWise(self, input, diagHessianOutput)
         return self.diagHessianInput
      end
   end

   local function add_module_methods(Module, Container)
      function Module:updateDiagHessianInput()
         expect.fail(self, 'updateDiagHessianInput is undefined for this class')
      end

      function Module:accDiagHessianParameters() end

      function Module:backwardDiagHessian(input, diagHessianOutput, scale)
         local through = self:updateDiagHessianInput(input, diagHessianOutput)
         self:accDiagHessianParameters(input, diagHessianOutput, scale or 1)
         return through
      end

      -- Zeros for the diagonal of each parameter; `keep` leaves those that exist.
      function Module:initDiagHessianParameters(keep)
         for field, name in pairs { weight = 'diagHessianWeight', bias = 'diagHessianBias' } do
            if torch.isTensor(self[field]) then
               if not self[name] then
                  self[name] = self[field].new():resizeAs(self[field]):zero()
               elseif not keep then
                  self[name]:zero()
               end
            end
         end
      end

      function Container:initDiagHessianParameters(keep)
         for _, module in ipairs(self.modules) do module:initDiagHessianParameters(keep) end
      end
   end

   -- The diagonals are a third list of parameters(), and a third vector of getParameters().
   local function add_parameters(Module, Container)
      local parameters, getParameters = Module.parameters, Module.getParameters

      function Module:parameters()
         local p, g = parameters(self)
         if not p then return end
         local diagonals = {}
         for _, name in ipairs { 'diagHessianWeight', 'diagHessianBias' } do diagonals[#diagonals + 1] = self[name] end
         return p, g, diagonals
      end

      function Container:parameters()
         local p, g, diagonals = {}, {}, {}
         for _, module in ipairs(self.modules) do
            local mine, its, more = module:parameters()
            for i = 1, mine and #mine or 0 do p[#p + 1], g[#g + 1] = mine[i], its[i] end
            for i = 1, more and #more or 0 do diagonals[#diagonals + 1] = more[i] end
         end
         return p, g, diagonals
      end

      function Module:getParameters()
         local p, g = getParameters(self)
         local _, _, diagonals = self:parameters()
         if diagonals and #diagonals > 0 then return p, g, Module.flatten(diagonals) end
         return p, g
      end
   end

   local function add_sequential_methods(Sequential)
      -- Calls a method of all modules, from the last one to the first, with the result of its successor.
      local function each(self, method, input, current, scale)
         for i = #self.modules, 1, -1 do
            local module = self.modules[i]
            local from = i > 1 and self.modules[i - 1].output or input
            current = module[method](module, from, current, scale) or module.diagHessianInput
         end
         return current
      end

      function Sequential:updateDiagHessianInput(input, diagHessianOutput)
         self.diagHessianInput = each(self, 'updateDiagHessianInput', input, diagHessianOutput)
         return self.diagHessianInput
      end

      function Sequential:accDiagHessianParameters(input, diagHessianOutput, scale)
         each(self, 'accDiagHessianParameters', input, diagHessianOutput, scale)
      end
   end

   local function add_class_methods()
      function nn.Identity:updateDiagHessianInput(_, diagHessianOutput)
         self.diagHessianInput = diagHessianOutput
         return diagHessianOutput
      end

      for _, name in ipairs { 'Linear', 'SpatialConvolution', 'SpatialConvolutionMM', 'SpatialConvolutionLocal',
         'SpatialFullConvolution', 'SpatialConvolutionMap', 'SpatialFullConvolutionMap', 'TemporalConvolution',
         'VolumetricConvolution' } do
         if nn[name] then linear(nn[name]) end
      end
      for _, name in ipairs { 'Tanh', 'Sigmoid', 'ReLU', 'Threshold', 'Square', 'Sqrt', 'Exp', 'HardTanh', 'SoftPlus',
         'SoftSign', 'ELU', 'LeakyReLU', 'Abs', 'Power' } do
         elementwise(nn[name])
      end
      -- As in the original, those of both terms, x and tanh x, are added.
      function nn.TanhShrink:updateDiagHessianInput(input, diagHessianOutput)
         local tanh = torch.add(input, -1, self.output)
         local slope = tanh:cmul(tanh):mul(-1):add(1)
         self.diagHessianInput = slope:cmul(slope):add(1):cmul(diagHessianOutput)
         return self.diagHessianInput
      end

      for _, name in ipairs { 'Reshape', 'View' } do
         nn[name].updateDiagHessianInput = function(self, input, diagHessianOutput)
            self.diagHessianInput = diagHessianOutput:contiguous():viewAs(input)
            return self.diagHessianInput
         end
      end
   end

   local function add_criterion_methods()
      function nn.Criterion.updateDiagHessianInput(self, input)
         self.diagHessianInput = input.new():resizeAs(input):fill(1)
         return self.diagHessianInput
      end
      function nn.MSECriterion.updateDiagHessianInput(self, input)
         self.diagHessianInput = input.new():resizeAs(input):fill(self.sizeAverage and 2 / input:nElement() or 2)
         return self.diagHessianInput
      end
      -- The absolute value has no curvature at 0.
      function nn.L1Cost.updateDiagHessianInput(self, input)
         self.diagHessianInput = input:ne(0):typeAs(input)
         return self.diagHessianInput
      end
      nn.Criterion.backwardDiagHessian = function(self, input, target)
         return self:updateDiagHessianInput(input, target)
      end
   end

   local enabled = false

   function hessian.enable()
      if enabled then return end
      enabled = true
      for name, f in pairs(shared) do hessian[name] = f end
      add_module_methods(nn.Module, nn.Container)
      add_parameters(nn.Module, nn.Container)
      add_sequential_methods(nn.Sequential)
      add_class_methods()
      add_criterion_methods()
   end
end
