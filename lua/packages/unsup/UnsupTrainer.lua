-- unsup.UnsupTrainer(module, data): stochastic gradient descent of an unsup module, one sample after the other.
-- data[i] is a table of an input and a target, for all i. The fields hookSample and hookEpoch may be functions, called
-- with the trainer, the number of a sample, the sample and the results of updateOutput, and the number of an interval.

local _G = _G
local torch = require 'torch'
local check = require 'torch.base.check'

return function(unsup)
   local Trainer = torch.class('unsup.UnsupTrainer', unsup)

   function Trainer:__init(module, data)
      if type(module) ~= 'table' or not module.getParameters then
         check.argument_error('UnsupTrainer', 'module', 'a module', module)
      end
      self.module, self.data = module, data
      self.parameters = { module:getParameters() }
   end

   -- params: maxiter, eta (learning rate), etadecay and etadecayinterval, statinterval, and hessian, true for learning
   -- rates from the curvature of each parameter, every hessianinterval samples.
   function Trainer:train(params)
      params = check.kind('UnsupTrainer', 'params', params, 'table')
      local eta = check.number('UnsupTrainer', 'eta', params.eta)
      local last = check.integer('UnsupTrainer', 'maxiter', params.maxiter)
      local interval = params.statinterval or math.ceil(last / 100)
      local decay, decay_interval = params.etadecay or 0, params.etadecayinterval or interval
      if not params.hessian then self.parameters[3] = nil end
      local sum = 0
      for age = 1, last do
         if params.hessian and (age - 1) % (params.hessianinterval or interval) == 0 then
            _G.print('Computing Hessian')
            params.di = age
            self:computeDiagHessian(params)
            _G.print('done')
         end
         local ex = self.data[age]
         local results = self:trainSample(ex, eta)
         sum = sum + results[1]
         if self.hookSample then self.hookSample(self, age, ex, results) end
         if age % interval == 0 then
            if self.hookEpoch then self.hookEpoch(self, age / interval) end
            _G.print('# iter= ' .. age .. ' eta= ' .. eta .. ' current error= ' .. sum)
            eta, sum = params.eta / (1 + age / decay_interval * decay), 0
         end
      end
   end

   -- Raises if a tensor has an element that is NaN.
   local function check_numbers(self, what, t)
      if torch.ne(t, t):sum() > 0 then
         _G.print('oops nan ' .. what)
         check.fail(self, 'oops nan %s', what)
      end
   end

   -- A step for one sample; returns the results of updateOutput, the loss first.
   function Trainer:trainSample(ex, eta)
      local module, input, target = self.module, ex[1], ex[2]
      local x, dx, ddx = self.parameters[1], self.parameters[2], self.parameters[3]
      local results = { module:updateOutput(input, target) }
      dx:zero()
      module:updateGradInput(input, target)
      module:accGradParameters(input, target)
      if dx:max() > 100 or dx:min() < -100 then _G.print('oops large dx ' .. dx:max() .. ' ' .. dx:min()) end
      check_numbers(self, 'dx', dx)
      if ddx then x:addcdiv(-eta, dx, ddx) else x:add(-eta, dx) end
      check_numbers(self, 'x', x)
      module:normalize()
      check_numbers(self, 'x norm', x)
      return results
   end

   -- Sets the third of the parameters to the mean curvature over params.hessiansamples samples from params.di on,
   -- clamped to minhessian and maxhessian.
   function Trainer:computeDiagHessian(params)
      local samples, min_hessian = params.hessiansamples or 500, params.minhessian or 0.02
      local max_hessian, module = params.maxhessian or 1 / min_hessian, self.module
      _G.print('Min Hessian=' .. min_hessian .. ' Max Hessian=' .. max_hessian)
      local dx, ddx = self.parameters[2], self.parameters[3]
      if not module.initDiagHessianParameters or not torch.isTensor(ddx) then
         check.fail(self, 'nn.hessian.enable() and initDiagHessianParameters() must be called before it is made')
      end
      self.ddeltax = self.ddeltax or ddx.new():resizeAs(ddx)
      self.ddeltax:zero()
      for i = 1, samples do
         local ex = self.data[(params.di or 0) + i]
         local input, target = ex[1], ex[2]
         module:updateOutput(input, target)
         dx:zero()
         module:updateGradInput(input, target)
         module:accGradParameters(input, target)
         ddx:zero()
         module:updateDiagHessianInput(input, target)
         module:accDiagHessianParameters(input, target)
         if ddx:min() < 0 then check.fail(self, 'curvatures must be at least 0 (got %s)', ddx:min()) end
         self.ddeltax:add(1 / samples, ddx)
      end
      local function show() _G.print('ddeltax : min/max = ' .. self.ddeltax:min() .. '/' .. self.ddeltax:max()) end
      show()
      self.ddeltax:clamp(min_hessian, max_hessian)
      show()
      ddx:copy(self.ddeltax)
   end
end
