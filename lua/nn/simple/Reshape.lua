-- nn.Reshape: the elements of the input in other sizes; a first dimension of another size is a batch.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(Reshape, parent)

   -- Sizes, or a LongStorage of them, then whether inputs are batches: true, false or nil, for both.
   function Reshape:__init(...)
      parent.__init(self)
      local given, count = { ... }, select('#', ...)
      self.batchsize = torch.LongStorage()
      if type(given[count]) == 'boolean' then
         self.batchMode = given[count]
         count = count - 1
      end
      while count > 1 and type(given[count]) == 'nil' do count = count - 1 end
      self.size = expect.sizes(self, unpack(given, 1, count))
      self.nelement = 1
      self.batchsize:resize(#self.size + 1)
      for d = 1, #self.size do
         self.nelement = self.nelement * self.size[d]
         self.batchsize[d + 1] = self.size[d]
      end
   end

   -- A tensor, or its copy in a field.
   local function contiguous(self, field, t)
      if t:isContiguous() then return t end
      self[field] = self[field] or t.new()
      return self[field]:resizeAs(t):copy(t)
   end

   function Reshape:updateOutput(input)
      expect.own(self, input)
      local x, count = contiguous(self, '_input', input), input:nElement()
      local single = self.batchMode == false
         or self.batchMode == nil and count == self.nelement and input:size(1) ~= 1
      local samples = (single or count == 0) and 1 or input:size(1)
      -- A size of -1 is for what is left, which the view finds: the product of the others is -nelement.
      local fits = count == samples * self.nelement or self.nelement < 0 and count % (samples * self.nelement) == 0
      if count == 0 or not fits then
         expect.fail(self, 'input must have %s%d elements, or a batch of such (got %s)',
            self.nelement < 0 and 'a multiple of ' or '', math.abs(self.nelement), expect.describe(input))
      end
      if single then
         self.output:view(x, self.size)
      else
         self.batchsize[1] = input:size(1)
         self.output:view(x, self.batchsize)
      end
      return self.output
   end

   function Reshape:updateGradInput(input, gradOutput)
      expect.same_count(self, expect.own(self, input), expect.own(self, gradOutput, 'gradOutput'))
      self.gradInput:viewAs(contiguous(self, '_gradOutput', gradOutput), input)
      return self.gradInput
   end

   function Reshape:__tostring__()
      return string.format('%s(%s)', torch.type(self), table.concat(self.size:totable(), 'x'))
   end
end
