-- unsup.UnsupTrainer(module, data): stochastic gradient descent of an unsup module, one sample after the other.
-- data[i] is a table of an input and a target; data:size() is their number, where it has that method.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(unsup)
   local Trainer = torch.class('unsup.UnsupTrainer', unsup)

   function Trainer:__init(module, data)
      if type(module) ~= 'table' or not module.getParameters then
         check.refuse('UnsupTrainer', 'module', 'a module', module)
      end
      if type(data) ~= 'table' then check.refuse('UnsupTrainer', 'data', 'a data set', data) end
      self.module, self.data, self.age = module, data, 0
      self.x, self.dx, self.ddx = module:getParameters()
   end

   local function sample(self, i)
      local data = self.data
      local count = data.size and data:size() or #data
      return data[count > 0 and (i - 1) % count + 1 or i]
   end

   -- params: maxiter, eta (learning rate), etadecay and etadecayinterval, statinterval, normalize (true unless false),
   -- hessian = { samples, minhessian } for learning rates from the curvature of each parameter.
   function Trainer:train(params)
      params = check.kind('UnsupTrainer', 'params', params or {}, 'table')
      local eta, last = check.number('train', 'eta', params.eta or 0.01), self.age + (params.maxiter or 1000)
      local sum, count, interval = 0, 0, params.statinterval or math.huge
      while self.age < last do
         if params.hessian and self.age % (params.hessianinterval or 10000) == 0 then
            self:computeDiagHessian(params.hessian)
         end
         self.age = self.age + 1
         sum, count = sum + self:trainSample(sample(self, self.age), eta), count + 1
         if params.normalize ~= false then self.module:normalize() end
         if self.age % interval == 0 then
            _G.print(('# iteration %d: average loss %g'):format(self.age, sum / count))
            sum, count = 0, 0
         end
         if params.etadecay and self.age % (params.etadecayinterval or 1000) == 0 then eta = eta * params.etadecay end
      end
      return count > 0 and sum / count or nil
   end

   -- A step for one sample; returns its loss.
   function Trainer:trainSample(ex, eta)
      local module, input, target = self.module, ex[1], ex[2] or ex[1]
      self.dx:zero()
      local loss = module:updateOutput(input, target)
      module:updateGradInput(input, target)
      module:accGradParameters(input, target)
      if self.rates then self.dx:cmul(self.rates) end
      self.x:add(-eta, self.dx)
      return loss
   end

   -- Learning rates of the parameters: one over the mean curvature of some samples plus a constant.
   function Trainer:computeDiagHessian(params)
      params = check.kind('computeDiagHessian', 'params', params or {}, 'table')
      local module, samples = self.module, params.samples or 500
      if not module.initDiagHessianParameters or not torch.isTensor(self.ddx) then
         check.fail('computeDiagHessian', 'nn.hessian.enable() and initDiagHessianParameters() must be called before '
            .. 'the trainer is made')
      end
      self.ddx:zero()
      for i = 1, samples do
         local ex = sample(self, i)
         local input, target = ex[1], ex[2] or ex[1]
         module:updateOutput(input, target)
         module:updateGradInput(input, target)
         module:updateDiagHessianInput(input, target)
         module:accDiagHessianParameters(input, target)
      end
      self.rates = self.ddx:clone():div(samples):add(params.minhessian or 0.02):pow(-1)
      return self.rates
   end
end
