-- nn.MixtureTable: a mixture of experts: {weights, experts}, the experts a table of tensors or one tensor.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(MixtureTable)

   -- `dim` is the dimension of the experts in one tensor.
   function MixtureTable:__init()
      self.size, self.size2 = torch.LongStorage(), torch.LongStorage()
      self.batchSize = 0
      self.backwardSetup = false
      self.gradInput = {}
   end

   -- The weights as batch x experts x 1, and the experts as a table of tensors, batch x elements.
   local function parts(self, input)
      expect.table(self, input)
      local gate, experts = input[1], input[2]
      expect.tensor(self, gate, 'weights of the experts')
      local dims = gate:dim()
      if dims ~= 1 and dims ~= 2 then
         expect.fail(self, 'weights must have 1 or 2 dimensions (got %s)', expect.describe(gate))
      end
      local batch, count = dims == 2 and gate:size(1) or 1, gate:size(dims)
      local list = {}
      if type(experts) == 'table' then
         for i = 1, #experts do list[i] = experts[i] end
      else
         expect.tensor(self, experts, 'experts')
         local dim = self.dim or dims
         if dim > experts:dim() or experts:size(dim) ~= count then
            expect.fail(self, 'experts must be %d in dimension %d, one for each weight (got %s)', count, dim,
               expect.describe(experts))
         end
         for i = 1, count do list[i] = experts:select(dim, i) end
      end
      if #list ~= count then expect.argument_error(self, 'weights', 'one for each expert', input) end
      for i = 1, count do
         expect.same_count(self, expect.tensor(self, list[1], 'each expert'),
            expect.tensor(self, list[i], 'each expert'), 'each expert')
      end
      if dims == 2 and list[1]:size(1) ~= batch then
         expect.fail(self, 'experts must be of a batch of %d (got %s)', batch, expect.describe(list[1]))
      end
      return gate:contiguous():view(batch, count), list, batch, count
   end

   local function flat(t, batch) return t:contiguous():view(batch, t:nElement() / batch) end

   function MixtureTable:updateOutput(input)
      local gate, list, batch, count = parts(self, input)
      self.output:resizeAs(list[1]):zero()
      local output = self.output:view(batch, self.output:nElement() / batch)
      for i = 1, count do
         output:addcmul(1, gate:narrow(2, i, 1):expandAs(output), flat(list[i], batch))
      end
      return self.output
   end

   function MixtureTable:updateGradInput(input, gradOutput)
      local gate, list, batch, count = parts(self, input)
      expect.same_count(self, list[1], expect.tensor(self, gradOutput, 'gradOutput'))
      local g = flat(gradOutput, batch)
      local dgate = self.gradInput[1] or input[1].new()
      dgate:resize(batch, count)
      local tables = type(input[2]) == 'table'
      local dexperts = self.gradInput[2]
      if tables then
         dexperts = type(dexperts) == 'table' and dexperts or {}
         for i = count + 1, #dexperts do dexperts[i] = nil end
      else
         dexperts = torch.isTensor(dexperts) and dexperts or input[2].new()
         dexperts:resizeAs(input[2])
      end
      for i = 1, count do
         dgate:narrow(2, i, 1):copy(torch.cmul(g, flat(list[i], batch)):sum(2))
         local part = torch.cmul(g, gate:narrow(2, i, 1):expandAs(g))
         if tables then
            dexperts[i] = dexperts[i] or list[i].new()
            dexperts[i]:resizeAs(list[i]):copy(part)
         else
            dexperts:select(self.dim or input[1]:dim(), i):copy(part)
         end
      end
      dgate:resize(input[1]:size())
      self.gradInput = { dgate, dexperts }
      return self.gradInput
   end
end
