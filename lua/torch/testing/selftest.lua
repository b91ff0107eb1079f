-- torch.test: checks this installation on examples with known results.

local selftest = {}

local function tests_of(torch, t)
   local suite = torch.TestSuite()

   function suite.arithmetic()
      local x = torch.range(1, 6):resize(2, 3)
      t:eq(x + x, x * 2)
      t:eq((x - 1):sum(), 15)
      t:eq(x:t()[3][2], 6)
   end

   function suite.linear_algebra()
      local a = torch.Tensor { { 2, 1 }, { 1, 3 } }
      t:eq(torch.mm(a, torch.eye(2)), a)
      t:eq(torch.mv(a, torch.Tensor { 1, 1 }), torch.Tensor { 3, 4 })
   end

   function suite.elementary_functions()
      t:eq(torch.exp(torch.zeros(3)), torch.ones(3))
      t:eq(torch.sqrt(torch.Tensor { 4, 9 }), torch.Tensor { 2, 3 }, 1e-15)
   end

   function suite.random_numbers()
      local generator = torch.Generator()
      torch.manualSeed(generator, 1)
      t:eq(torch.random(generator), 1791095845)
   end

   function suite.serialization()
      local object = { torch.LongTensor { 1, 2 }, name = 'x' }
      for _, mode in next, { 'ascii', 'binary' } do
         t:eq(torch.deserialize(torch.serialize(object, mode), mode), object)
      end
   end

   return suite
end

function selftest.install(torch)
   -- Runs the tests, or those named, and prints a report.
   function torch.test(names)
      local t = torch.Tester()
      t:add(tests_of(torch, t))
      return t:run(names)
   end
end

return selftest
