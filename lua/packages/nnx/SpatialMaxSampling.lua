-- nn.SpatialMaxSampling: the largest elements of windows that divide maps into owidth columns and oheight rows.

local torch = require 'torch'
local check, xlua = require 'torch.base.check', require 'xlua'

return function(MaxSampling, parent)

   function MaxSampling:__init(...)
      parent.__init(self)
      xlua.unpack_class(self, { ... }, 'nn.SpatialMaxSampling', 'maxima of windows of maps',
         { arg = 'owidth', type = 'number', help = 'columns of the output', req = true },
         { arg = 'oheight', type = 'number', help = 'rows of the output', req = true })
      check.size('SpatialMaxSampling', 'owidth', self.owidth)
      check.size('SpatialMaxSampling', 'oheight', self.oheight)
      self.indices = torch.Tensor()
   end

   -- The first index and the number of elements of each of `count` windows. The width is a float.
   local function windows(size, count)
      local starts = torch.range(0, count):float():mul(size / count):floor():add(1):totable()
      local list = {}
      for i = 1, count do list[i] = { starts[i], math.max(1, starts[i + 1] - starts[i]) } end
      return list
   end

   -- Maps as [batch *] planes x height x width.
   local function planes_of(t) return t:contiguous():view(-1, t:size(t:dim() - 1), t:size(t:dim())) end

   -- f(row, column, { top, height }, { left, width }) for each element of the output.
   local function each_window(self, x, f)
      local rows, columns = windows(x:size(2), self.oheight), windows(x:size(3), self.owidth)
      for i, down in ipairs(rows) do
         for j, across in ipairs(columns) do f(i, j, down, across) end
      end
   end

   -- `indices` has the row and the column of each maximum, from 1 in its window.
   function MaxSampling:updateOutput(input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 3, 4)
      local sizes = input:size()
      sizes[input:dim() - 1], sizes[input:dim()] = self.oheight, self.owidth
      local x = planes_of(input)
      local to = planes_of(self.output:resize(sizes))
      self.indices:resize(2, x:size(1), self.oheight, self.owidth)
      each_window(self, x, function(i, j, down, across)
         local part = x:narrow(2, down[1], down[2]):narrow(3, across[1], across[2]):contiguous():view(x:size(1), -1)
         local largest, at = part:max(2)
         to:select(3, j):select(2, i):copy(largest)
         at = at:typeAs(self.indices):add(-1)
         local row = torch.div(at, across[2]):floor()
         self.indices[1]:select(3, j):select(2, i):copy(row):add(1)
         self.indices[2]:select(3, j):select(2, i):copy(at:add(-across[2], row)):add(1)
      end)
      return self.output
   end

   function MaxSampling:updateGradInput(input, gradOutput)
      if self.indices:nElement() == 0 then check.fail(self, 'backward called before forward') end
      check.dimensions(self, 'input', input, 3, 4)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      self.gradInput:resizeAs(input):zero()
      local to = planes_of(self.gradInput)
      local sizes = { to:size(1), self.oheight, self.owidth }
      check.dimensions(self, 'gradOutput', gradOutput, 3, 4)
      local g = planes_of(gradOutput)
      if not self.indices:isSize(torch.LongStorage { 2, unpack(sizes) }) or not g:isSize(torch.LongStorage(sizes)) then
         check.fail(self, 'backward called before forward on this input')
      end
      each_window(self, to, function(i, j, down, across)
         for plane = 1, to:size(1) do
            local row = down[1] - 1 + self.indices[1][plane][i][j]
            local column = across[1] - 1 + self.indices[2][plane][i][j]
            to[plane][row][column] = to[plane][row][column] + g[plane][i][j]
         end
      end)
      return self.gradInput
   end
end
