-- nn.DistMarginCriterion: a margin of 1 between the smallest input at a target and all other inputs. The targets of a
-- row are classes, and 0 ends them.

local check = require 'torch.base.check'

return function(Dist, parent)

   function Dist:__init()
      parent.__init(self)
      self.sizeAverage = true
   end

   local function rows_of(t) return t:contiguous():view(-1, t:size(t:dim())) end

   -- Calls visit(row, class with the smallest input, classes that violate the margin) for each row.
   local function each_row(self, input, target, visit)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 1, 2)
      check.same_size(self, 'target', target, input)
      local x, t = rows_of(input), rows_of(target)
      local count = x:size(2)
      if t:min() < 0 or t:max() > count then
         check.argument_error(self, 'target', string.format('of numbers from 0 to %d', count), target)
      end
      local loss = 0
      for row = 1, x:size(1) do
         local values, among, minimum, class = x[row]:totable(), {}, math.huge, nil
         for _, number in ipairs(t[row]:totable()) do
            if number == 0 then break end
            -- A share between two classes counts as the one below, those under 1 as the first.
            number = math.max(math.floor(number), 1)
            among[number] = true
            if values[number] < minimum then minimum, class = values[number], number end
         end
         local above = {}
         for other = 1, count do
            local z = 1 - minimum + values[other]
            if not among[other] and z > 0 then
               loss = loss + z
               table.insert(above, other)
            end
         end
         visit(row, class, above)
      end
      return loss, count
   end

   function Dist:updateOutput(input, target)
      local loss, count = each_row(self, input, target, function() end)
      self.output = self.sizeAverage and loss / count or loss
      return self.output
   end

   function Dist:updateGradInput(input, target)
      self.gradInput:resizeAs(input):zero()
      local rows = self.gradInput:view(-1, input:size(input:dim()))
      local step = self.sizeAverage and 1 / rows:size(2) or 1
      each_row(self, input, target, function(row, class, above)
         for _, other in ipairs(above) do rows[row][other] = step end
         if class then rows[row][class] = -step * #above end
      end)
      return self.gradInput
   end
end
