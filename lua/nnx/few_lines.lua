-- nn.Minus: minus the input. nn.Probe(name): the identity, which prints what passes. nn.Tic(name), nn.Toc(name): the
-- identity, which prints the seconds between the two. nn.FunctionWrapper(init, forward, backward):
-- a module of functions.

local _G, clock = _G, os.clock
local torch = require 'torch'
local check, on_copies = require 'torch.base.check', require 'nn.on_copies'

local started = {}        -- times by the names of nn.Tic

return function(Class, parent, _, name)

   local rows = {}

   function rows.Minus()
      local function negate(_, copy) copy:mul(-1) end
      on_copies(Class, negate, negate)
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

   function rows.Probe()
      local function show(self, what, value)
         _G.print('<probe::' .. self.name .. '> ' .. what)
         if self.content then _G.print(value) elseif torch.isTensor(value) then _G.print(#value) end
      end
      identity(function(self, pname, args)
         parent.__init(self)
         self.name = pname or 'unnamed'
         self.content = args and args.content or false
      end, function(self, input) show(self, 'updateOutput', input) end,
         function(self, gradOutput) show(self, 'updateGradInput', gradOutput) end)
   end

   local function named(self, label)
      parent.__init(self)
      self.name = label or ''
   end

   function rows.Tic()
      identity(named, function(self) started[self.name] = clock() end, function() end)
   end

   function rows.Toc()
      identity(named, function(self)
         if not started[self.name] then check.fail(self, 'nn.Tic %s must come first', check.describe(self.name)) end
         _G.print(('<tictoc::%s> %f seconds'):format(self.name, clock() - started[self.name]))
      end, function() end)
   end

   function rows.FunctionWrapper()
      function Class:__init(begin, forward, backward)
         parent.__init(self)
         self.ud_init = check.callable('FunctionWrapper', 'argument 1', begin)
         self.ud_updateOutput = check.callable('FunctionWrapper', 'argument 2', forward)
         self.ud_updateGradInput = check.callable('FunctionWrapper', 'argument 3', backward)
         self:ud_init()
      end

      function Class:updateOutput(input)
         self.output = self:ud_updateOutput(input)
         return self.output
      end

      function Class:updateGradInput(input, gradOutput)
         self.gradInput = self:ud_updateGradInput(input, gradOutput)
         return self.gradInput
      end
   end

   rows[name]()
end
