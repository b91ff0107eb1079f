-- nn.hessian.enable(): gives modules methods for the diagonal of the Hessian, by the approximation of
-- Levenberg and Marquardt: updateDiagHessianInput, accDiagHessianParameters, initDiagHessianParameters.

local torch = require 'torch'

return function(hessian, nn)

   -- A module like another one with squared weights: through it squares of derivatives are passed.
   local function squared(module)
      local copy = module:clone()
      copy.weight:cmul(copy.weight)
      return copy
   end

   -- Linear maps of any shape: convolutions too.
   local function linear(class)
      function class:updateDiagHessianInput(input, diagHessianOutput)
         local other = squared(self)
         other.gradInput = self.gradInput.new()
         other:forward(input)
         self.diagHessianInput = other:updateGradInput(input, diagHessianOutput)
         return self.diagHessianInput
      end

      function class:accDiagHessianParameters(input, diagHessianOutput, scale)
         self:initDiagHessianParameters(true)
         local other, squares = self:clone(), torch.cmul(input, input)
         other.gradWeight, other.gradBias = self.diagHessianWeight, self.diagHessianBias
         other:forward(squares)
         other:accGradParameters(squares, diagHessianOutput, scale)
      end
   end

   -- Functions of single elements: the second derivative of the output is left out where it is 0, or added.
   local function elementwise(class)
      function class:updateDiagHessianInput(input, diagHessianOutput)
         local slope = self:updateGradInput(input, input.new():resizeAs(input):fill(1)):clone()
         self.diagHessianInput = slope:cmul(slope):cmul(diagHessianOutput)
         return self.diagHessianInput
      end
   end

   local enabled = false

   function hessian.enable()
      if enabled then return end
      enabled = true
      local Module, Container, Sequential = nn.Module, nn.Container, nn.Sequential

      function Module:updateDiagHessianInput(_, diagHessianOutput)
         self.diagHessianInput = diagHessianOutput
         return diagHessianOutput
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

      -- The diagonals are a third list of parameters(), and a third vector of getParameters().
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

      for _, name in ipairs { 'Linear', 'SpatialConvolution', 'SpatialConvolutionMM', 'SpatialConvolutionLocal',
         'SpatialFullConvolution', 'SpatialConvolutionMap', 'SpatialFullConvolutionMap', 'TemporalConvolution',
         'VolumetricConvolution' } do
         if nn[name] then linear(nn[name]) end
      end
      for _, name in ipairs { 'Tanh', 'Sigmoid', 'ReLU', 'Threshold', 'Square', 'Sqrt', 'Exp', 'HardTanh', 'TanhShrink',
         'SoftPlus', 'SoftSign', 'ELU', 'LeakyReLU', 'Abs', 'Power' } do
         elementwise(nn[name])
      end
      for _, name in ipairs { 'Reshape', 'View' } do
         nn[name].updateDiagHessianInput = function(self, input, diagHessianOutput)
            self.diagHessianInput = diagHessianOutput:contiguous():viewAs(input)
            return self.diagHessianInput
         end
      end

      function nn.Criterion.updateDiagHessianInput(self, input)
         self.diagHessianInput = input.new():resizeAs(input):fill(1)
         return self.diagHessianInput
      end
      function nn.MSECriterion.updateDiagHessianInput(self, input)
         self.diagHessianInput = input.new():resizeAs(input):fill(self.sizeAverage and 2 / input:nElement() or 2)
         return self.diagHessianInput
      end
      nn.Criterion.backwardDiagHessian = function(self, input, target)
         return self:updateDiagHessianInput(input, target)
      end
   end
end
