-- nnx.QDRiemaNNLinear: an nn.Linear whose gradients are those of a Riemannian metric: Ollivier, Riemannian metrics for
-- neural networks I (2015), section 2.3. The metric of an output is the mean of the outer products of its gradients at
-- the weights and the bias; of it are kept the diagonal and, in the quasi-diagonal form, the products with the bias.

local torch = require 'torch'
local check = require 'torch.base.check'
local classes = require 'nn.class.classes'

local ROW = {
   summary = 'Linear whose gradients are those of a quasi-diagonal Riemannian metric, averaged over batches.',
   formula = 'y = W x + b', chapter = { name = 'nnx' },
   arguments = { 'inputSize: elements of a sample', 'outputSize: elements of its output',
      'gamma=0.01: the weight of the latest batch in the averages of the metric',
      'qdFlag=true: false for a diagonal metric' },
   example = 'nnx.QDRiemaNNLinear(4, 2)', shapes = '[B x] inputSize -> [B x] outputSize',
   parameters = 'weight outputSize x inputSize, bias outputSize',
}

-- The smallest determinant that is used as a divisor.
local EPSILON = 1e-12

return function(nnx)
   local Linear, parent = torch.class('nnx.QDRiemaNNLinear', 'nn.Linear', nnx)
   classes.rows['nnx.QDRiemaNNLinear'] = ROW

   -- `gamma` is the weight of the latest batch in the running averages; without qdFlag the metric is diagonal.
   function Linear:__init(inputSize, outputSize, gamma, qdFlag)
      parent.__init(self, inputSize, outputSize)
      self.gamma, self.qdFlag, self.matReg = gamma or 0.01, qdFlag == nil or qdFlag, EPSILON
      if not (self.gamma > 0 and self.gamma <= 1) then
         check.argument_error('QDRiemaNNLinear', 'gamma', 'a number above 0, at most 1', gamma)
      end
      self.initMetric = true
      self.Mii, self.M00 = torch.zeros(outputSize, inputSize), torch.zeros(outputSize)
      if self.qdFlag then self.M0i = torch.zeros(outputSize, inputSize) end
   end

   Linear.__init = require('nn.class.constructors').checked('QDRiemaNNLinear', Linear.__init, 'size size number? any?')

   function Linear:noBias() check.fail(self, 'noBias: the metric is one of weights and a bias') end

   -- Averages of g^2 x^2, g^2 x and g^2 over the batches so far, each a sum over the samples of a batch. They begin
   -- with those of the first batch.
   local function update_metric(self, x, g)
      local squares = torch.cmul(g, g):t()
      local keep, add = 1 - self.gamma, self.gamma
      if self.initMetric then keep, add = 0, 1 end
      self.Mii:mul(keep):addmm(add, squares, torch.cmul(x, x))
      self.M00:mul(keep):add(add, squares:sum(2):view(-1))
      if self.qdFlag then self.M0i:mul(keep):addmm(add, squares, x) end
      self.initMetric = false
   end

   -- Replaces gradients by those in the metric.
   local function natural(self, dw, db)
      if not self.qdFlag then
         dw:cdiv(self.Mii:add(self.matReg))
         db:cdiv(self.M00:add(self.matReg))
         return
      end
      local M00 = self.M00:view(-1, 1):expandAs(dw)
      local determinant = torch.cmul(self.Mii, M00):add(-1, torch.cmul(self.M0i, self.M0i))
      dw:cmul(M00):add(-1, torch.cmul(self.M0i, db:view(-1, 1):expandAs(dw))):cdiv(determinant:clamp(self.matReg, 1e25))
      db:add(-1, torch.cmul(self.M0i, dw):sum(2):view(-1)):cdiv(self.M00 + self.matReg)
   end

   -- A batch of rows; a vector is one of them.
   local function rows_of(self, what, t, columns)
      check.same_type(self, what, t, self.weight)
      check.dimensions(self, what, t, 1, 2)
      if t:size(t:dim()) ~= columns then
         check.argument_error(self, what, string.format('of size %d, or batch x %d', columns, columns), t)
      end
      return t:dim() == 1 and t:contiguous():view(1, -1) or t
   end

   -- Adds the gradients of this batch to the accumulated ones, and converts the sum to those of the metric: after
   -- zeroGradParameters, of one batch. They are not scaled.
   function Linear:accGradParameters(input, gradOutput)
      local x = rows_of(self, 'input', input, self.weight:size(2))
      local g = rows_of(self, 'gradOutput', gradOutput, self.weight:size(1))
      if x:size(1) ~= g:size(1) then
         check.argument_error(self, 'gradOutput', string.format('a tensor of %d rows', x:size(1)), gradOutput)
      end
      update_metric(self, x, g)
      self.gradWeight:addmm(g:t(), x)
      self.gradBias:add(g:sum(1):view(-1))
      natural(self, self.gradWeight, self.gradBias)
   end

   -- Resets the averages, too.
   function Linear:reset()
      self.initMetric = true
      self.weight:normal(0, 1 / math.sqrt(self.weight:size(2)))
      self.bias:zero()
      return self
   end
end
