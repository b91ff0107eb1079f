-- nn.SpatialPadding: pads maps with a value, by default 0: (left, right, top, bottom); negative numbers cut.

local check = require 'torch.base.check'

return function(Padding, parent)

   -- y_dim and x_dim are the dimensions of rows and columns.
   function Padding:__init(pad_l, pad_r, pad_t, pad_b, y_dim, x_dim, val)
      parent.__init(self)
      self.pad_l, self.y_dim, self.x_dim, self.val = pad_l, y_dim or 2, x_dim or 3, val or 0
      self.pad_r, self.pad_t, self.pad_b = pad_r or self.pad_l, pad_t or self.pad_l, pad_b or self.pad_l
   end

   -- The part of the padded maps that the input fills, and that part of the input.
   local function parts(self, padded, x, rows, columns)
      local function cut(t, u, dimension, before, size)
         local from, to = math.max(before, 0), math.min(before + size, t:size(dimension))
         return t:narrow(dimension, from + 1, to - from), u:narrow(dimension, from - before + 1, to - from)
      end
      padded, x = cut(padded, x, rows, self.pad_t, x:size(rows))
      return cut(padded, x, columns, self.pad_l, x:size(columns))
   end

   function Padding:updateOutput(input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, math.max(self.y_dim, self.x_dim), 5)
      local rows, columns = self.y_dim, self.x_dim
      local sizes = input:size()
      sizes[rows] = sizes[rows] + self.pad_t + self.pad_b
      sizes[columns] = sizes[columns] + self.pad_l + self.pad_r
      if sizes[rows] < 1 or sizes[columns] < 1 then
         check.argument_error(self, 'input', 'larger than the part that is cut', input)
      end
      self.output:resize(sizes):fill(self.val)
      local to, from = parts(self, self.output, input, rows, columns)
      to:copy(from)
      return self.output
   end

   function Padding:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      self.gradInput:resizeAs(input):zero()
      local rows, columns = self.y_dim, self.x_dim
      local from, to = parts(self, gradOutput, self.gradInput, rows, columns)
      to:copy(from)
      return self.gradInput
   end
end
