-- nn.SpatialLinear: a linear layer over the planes, at each pixel of a map.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(SpatialLinear, parent)

   function SpatialLinear:__init(fanin, fanout)
      parent.__init(self)
      self.fanin, self.fanout, self.weightDecay = fanin or 1, fanout or 1, 0
      self.weight, self.gradWeight = torch.Tensor(self.fanout, self.fanin), torch.zeros(self.fanout, self.fanin)
      self.bias, self.gradBias = torch.Tensor(self.fanout), torch.zeros(self.fanout)
      self:reset()
   end

   -- Draws the weights of an output, then its bias. The bound depends on the number of outputs.
   function SpatialLinear:reset(stdv)
      stdv = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.weight:size(1))
      for i = 1, self.weight:size(1) do
         self.weight[i]:uniform(-stdv, stdv)
         self.bias[i] = torch.uniform(-stdv, stdv)
      end
      return self
   end

   -- A momentum keeps that share of the gradients.
   function SpatialLinear:zeroGradParameters(momentum)
      self.gradWeight:mul(momentum or 0)
      self.gradBias:mul(momentum or 0)
   end

   -- Shrinks the parameters by this share.
   function SpatialLinear:decayParameters(decay)
      check.number(self, 'decay', decay)
      self.weight:mul(1 - decay)
      self.bias:mul(1 - decay)
   end

   -- The planes as rows, a row of pixels each: [batch x] planes x pixels.
   local function rows_of(self, what, maps, planes)
      check.same_type(self, what, maps, self.weight)
      check.dimensions(self, what, maps, 3, 4)
      local d = maps:dim()
      if maps:size(d - 2) ~= planes then check.argument_error(self, what, string.format('%d maps', planes), maps) end
      local pixels = maps:size(d - 1) * maps:size(d)
      if d == 4 then return maps:contiguous():view(maps:size(1), planes, pixels) end
      return maps:contiguous():view(1, planes, pixels)
   end

   -- A tensor for the maps of `like` with another number of planes.
   local function resized(t, like, planes)
      local sizes = like:size()
      sizes[like:dim() - 2] = planes
      return t:resize(sizes)
   end

   function SpatialLinear:updateOutput(input)
      local x = rows_of(self, 'input', input, self.fanin)
      local y = resized(self.output, input, self.fanout):view(x:size(1), self.fanout, x:size(3))
      for i = 1, x:size(1) do
         y[i]:copy(self.bias:view(-1, 1):expandAs(y[i])):addmm(self.weight, x[i])
      end
      return self.output
   end

   -- Adds to the gradients of the parameters, too.
   function SpatialLinear:updateGradInput(input, gradOutput)
      local x = rows_of(self, 'input', input, self.fanin)
      local g = rows_of(self, 'gradOutput', gradOutput, self.fanout)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      local to = resized(self.gradInput, input, self.fanin):view(x:size())
      for i = 1, x:size(1) do
         to[i]:mm(self.weight:t(), g[i])
         self.gradWeight:addmm(g[i], x[i]:t())
         self.gradBias:add(g[i]:sum(2):view(-1))
      end
      if self.weightDecay ~= 0 then self.gradWeight:add(g:size(1) * g:size(3), self.weight) end
      return self.gradInput
   end

   function SpatialLinear:accGradParameters() end
end
