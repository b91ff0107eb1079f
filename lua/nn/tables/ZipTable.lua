-- nn.ZipTable: {{a1, a2}, {b1, b2}} to {{a1, b1}, {a2, b2}}.

local expect = require 'nn.checks.expect'

return function(ZipTable, parent)

   function ZipTable:__init()
      parent.__init(self)
      self.output, self.gradInput = {}, {}
   end

   local function zip(self, tables, what)
      expect.table(self, tables, what)
      local count = #tables > 0 and #expect.table(self, tables[1], 'each part of the ' .. what) or 0
      local zipped = {}
      for i = 1, count do zipped[i] = {} end
      for j = 1, #tables do
         if #expect.table(self, tables[j], 'each part of the ' .. what) ~= count then
            expect.fail(self, 'tables must be of one length (got %d and %d)', count, #tables[j])
         end
         for i = 1, count do zipped[i][j] = tables[j][i] end
      end
      return zipped
   end

   function ZipTable:updateOutput(input)
      self.output = zip(self, input, 'input')
      return self.output
   end

   function ZipTable:updateGradInput(_, gradOutput)
      self.gradInput = zip(self, gradOutput, 'gradOutput')
      return self.gradInput
   end
end
