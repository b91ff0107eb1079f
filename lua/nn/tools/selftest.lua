-- nn.test: tries gradients of common modules on this machine, with torch.Tester. nn.testTHNN does the same
-- here.

local torch = require 'torch'

return function(nn_table, nn)

   local cases = {
      Linear = { function() return nn.Linear(4, 3) end, { 4 } },
      LinearBatch = { function() return nn.Linear(4, 3) end, { 2, 4 } },
      Tanh = { function() return nn.Tanh() end, { 3, 2 } },
      Sigmoid = { function() return nn.Sigmoid() end, { 3, 2 } },
      LogSoftMax = { function() return nn.LogSoftMax() end, { 3, 4 } },
      SoftMax = { function() return nn.SoftMax() end, { 3, 4 } },
      CMul = { function() return nn.CMul(4) end, { 2, 4 } },
      Sequential = { function() return nn.Sequential():add(nn.Linear(4, 3)):add(nn.Tanh()) end, { 2, 4 } },
      Concat = { function() return nn.Concat(1):add(nn.Linear(4, 3)):add(nn.Linear(4, 2)) end, { 4 } },
   }

   -- Runs all tests, or those that are named: a string or a list.
   function nn_table.test(names)
      if type(names) == 'string' then names = { names } end
      local tester, suite = torch.Tester(), torch.TestSuite()
      for name, case in pairs(cases) do
         suite[name] = function()
            local module, input = case[1](), torch.Tensor(torch.LongStorage(case[2]))
            tester:assertlt(nn.Jacobian.testJacobian(module, input), 1e-5, 'gradient of the input')
            local parameters, gradients = module:parameters()
            for i, p in ipairs(parameters or {}) do
               tester:assertlt(nn.Jacobian.testJacobianParameters(module, input, p, gradients[i]), 1e-5,
                  'gradient of parameter ' .. i)
            end
            local forward, backward = nn.Jacobian.testIO(module, input)
            tester:assertlt(forward + backward, 1e-10, 'written and read')
         end
      end
      tester:add(suite)
      tester:run(names)
      return tester
   end

   nn_table.testTHNN = nn_table.test
end
