-- nn.Minus: minus the input. nn.Probe(name): the identity, which prints what passes. nn.Tic(name), nn.Toc(name): the
-- identity, which prints the seconds between the two. nn.FunctionWrapper(init, forward, backward):
-- a module of functions.

local _G, clock = _G, os.clock
local check, mixins = require 'torch.base.check', require 'nn.module.mixins'

local started = {}        -- times by the names of nn.Tic

return function(Class, parent, _, class)

   local rows = {}

   function rows.Minus()
      local function negate(_, copy) copy:mul(-1) end
      mixins.on_copies(Class, negate, negate)
   end

   local function identity(begin, forward, backward)
      Class.__init = begin

      function Class:updateOutput(input)
         forward(self, input)
         self.output = input
         return input
      end

      function Class:updateGradInput(_, gradOutput)
         backward(self, gradOutput)
         self.gradInput = gradOutput
         return gradOutput
      end
   end

   -- Prints the size, the moments and the range of what passes, and the time since the last print.
   function rows.Probe()
      local show
      function show(self, legend, value)
         local passed = clock()
         local lines = { '', legend, '  + size = ' .. table.concat(value:size():totable(), 'x') }
         for _, measure in ipairs { 'mean', 'std', 'min', 'max' } do
            table.insert(lines, string.format('  + %s = %s', measure, tostring(value[measure](value))))
         end
         local since = (passed - (started[show] or passed)) * 1000
         table.insert(lines, string.format('  + time since last probe = %0.1fms', since))
         started[show] = clock()
         _G.print(table.concat(lines, '\n'))
         if self.display then
            self.window = require('image').display { image = value, win = self.window, legend = legend }
         end
      end
      identity(function(self, name, display)
         parent.__init(self)
         self.name, self.display = name or 'unnamed', display
      end, function(self, input) show(self, '<' .. self.name .. '>.output', input) end,
         function(self, gradOutput) show(self, 'layer<' .. self.name .. '>.gradInput', gradOutput) end)
   end

   -- A timer runs from the construction of nn.Tic.
   local function named(self, name, comment)
      parent.__init(self)
      self.name, self.comment = name or 'default', comment or ''
   end

   function rows.Tic()
      local function start(self) started[self.name] = clock() end
      identity(function(self, name)
         named(self, name)
         start(self)
      end, start, function() end)
   end

   function rows.Toc()
      identity(named, function(self)
         if not started[self.name] then check.fail(self, 'nn.Tic %s must come first', check.describe(self.name)) end
         _G.print(string.format("Toc '%s' (%s) : %s", self.name, self.comment or '', clock() - started[self.name]))
      end, function() end)
   end

   function rows.FunctionWrapper()
      function Class:__init(begin, forward, backward)
         parent.__init(self)
         check.callable('FunctionWrapper', 'argument 1', begin)
         self.fn_updateOutput = check.callable('FunctionWrapper', 'argument 2', forward)
         self.fn_updateGradInput = check.callable('FunctionWrapper', 'argument 3', backward)
         begin(self)
      end

      function Class:updateOutput(input)
         self.output = self:fn_updateOutput(input)
         return self.output
      end

      function Class:updateGradInput(input, gradOutput)
         self.gradInput = self:fn_updateGradInput(input, gradOutput)
         return self.gradInput
      end
   end

   rows[class]()
end
