-- The elementwise transfer functions, one row each. A new one is a row here, a line of init.lua, and a record in
-- tests/nn/module_records.py.
--
--    output      a program for z, the output, from x, the input; programs are explained at the top of
--                torch/kernels/elementwise/fused.lua
--    gradient    a program for z, the gradInput, from x, the input, y, the gradOutput, and w, the output
--    v, u        functions of the module for the numbers v and u of the programs
--    fields      the constructor's arguments: { name, default }; `inplace`, where there is one, is in place
--    flag_first  a first argument that is a boolean stands for `inplace`
--    tostring    the text that is printed
--    special     for modules whose programs are simpler: a function of the module and the number
--                of elements that gives a table with other programs, `output` and `gradient`
--    check       called after the fields are set
--    parts       classes of modules that Torch7's methods read, by field

local expect = require 'nn.expect'

local transfer_rows = {}

local function zero_without_sign(number) return number == 0 and 0 or number end

transfer_rows.Abs = {
   output = 'z = absolute x',
   gradient = 'q = greater_equal x 0; a = select q 1 -1; z = multiply y a',
}

transfer_rows.Exp = { output = 'z = exp x', gradient = 'z = multiply y w' }

transfer_rows.Log = { output = 'z = log x', gradient = 'z = divide y x' }

transfer_rows.LogSigmoid = {
   -- log(sigmoid(x)) = min(x, 0) - log(1 + exp(-|x|)), which never overflows.
   output = 'b = absolute x; b = multiply b -1; b = exp b; b = log1p b; a = minimum x 0; z = subtract a b',
   gradient = 'a = exp x; a = add a 1; z = divide y a',
}

transfer_rows.Sigmoid = {
   output = 'z = sigmoid x',
   gradient = 'a = subtract 1 w; a = multiply a w; z = multiply a y',
}

transfer_rows.SoftSign = {
   output = 'a = absolute x; a = add a 1; z = divide x a',
   gradient = 'a = absolute x; a = add a 1; a = multiply a a; z = divide y a',
}

transfer_rows.Sqrt = {
   fields = { { 'eps', 0 } },
   output = 'z = sqrt x',
   -- 0 where the output is 0.
   gradient = 'q = equal w 0; a = multiply y 0.5; a = divide a w; z = select q 0 a',
}

transfer_rows.Square = { output = 'z = multiply x x', gradient = 'a = multiply x y; z = add a a' }

transfer_rows.Tanh = { output = 'z = tanh x', gradient = 'a = multiply w w; a = subtract 1 a; z = multiply a y' }

transfer_rows.TanhShrink = {
   parts = { tanh = 'Tanh' },
   output = 'a = tanh x; z = subtract x a',
   gradient = 'a = tanh x; a = multiply a a; z = multiply a y',
}

transfer_rows.ELU = {
   tostring = function(m) return (' (alpha:%f)'):format(m.alpha) end,
   fields = { { 'alpha', 1 }, { 'inplace', false } },
   v = function(m) return m.alpha or 1 end,
   output = 'wide; a = exp x; a = subtract a 1; a = multiply a v; q = less_equal x 0; z = select q a x',
   gradient = 'a = add w v; a = multiply a y; q = less_equal w 0; z = select q a y',
}

transfer_rows.HardShrink = {
   fields = { { 'lambda', 0.5 } },
   v = function(m) return m.lambda end,
   output = 'a = absolute x; q = greater a v; z = select q x 0',
   gradient = 'a = absolute x; q = greater a v; z = select q y 0',
}

transfer_rows.HardTanh = {
   fields = { { 'min_val', -1 }, { 'max_val', 1 }, { 'inplace', false } },
   v = function(m) return m.min_val or -1 end,
   u = function(m) return m.max_val or 1 end,
   -- As the original compares: NaN is the upper limit, and its gradient passes.
   output = 'q = less_equal x u; a = select q x u; q = less x v; z = select q v a',
   gradient = 'q = less_equal x v; a = select q 0 y; q = greater_equal x u; z = select q 0 a',
   check = function(m)
      if not (m.max_val > m.min_val) then
         expect.fail(m, 'max_val must be > min_val (got %s and %s)', m.max_val, m.min_val)
      end
   end,
}

transfer_rows.LeakyReLU = {
   tostring = function(m) return ('(%g)'):format(m.negval) end,
   fields = { { 'negval', 1 / 100 }, { 'inplace', false } },
   flag_first = true,
   v = function(m) return m.negval end,
   output = 'a = multiply x v; q = greater x 0; z = select q x a',
   gradient = 'a = multiply y v; q = greater x 0; z = select q y a',
   check = function(m)
      if m.inplace and m.negval < 0 then expect.fail(m, 'in place negval must be at least 0 (got %s)', m.negval) end
   end,
}

-- Powers that need no function.
local POWERS = {
   [0.5] = { output = 'z = sqrt x', gradient = 'a = sqrt x; a = divide 0.5 a; z = multiply a y' },
   [2] = transfer_rows.Square,
   [3] = { output = 'z = cube x',
      gradient = 'a = multiply x x; a = multiply a 3; z = multiply a y' },
}

transfer_rows.Power = {
   special = function(m) return POWERS[m.pow] end,
   fields = { { 'pow' } },
   v = function(m) return m.pow end,
   u = function(m) return m.pow - 1 end,
   output = 'z = power x v',
   gradient = 'a = power x u; a = multiply a v; z = multiply a y',
   check = function(m)
      if type(m.pow) ~= 'number' then expect.refuse(m, 'pow', 'a number', m.pow) end
   end,
}

transfer_rows.ReLU6 = {
   fields = { { 'inplace', false } },
   output = 'q = less_equal x 6; a = select q x 6; q = less x 0; z = select q 0 a',
   gradient = 'q = less_equal x 0; a = select q 0 y; q = greater_equal x 6; z = select q 0 a',
}

transfer_rows.SoftPlus = {
   fields = { { 'beta', 1 } },
   v = function(m) return m.beta end,
   -- From beta x = threshold on the function is the identity.
   u = function(m) return m.threshold or 20 end,
   output = 'a = multiply x v; q = greater a u; b = minimum a 40; b = exp b; b = log1p b; b = divide b v; ' ..
      'z = select q x b',
   gradient = 'a = multiply w v; b = multiply a -1; b = exp b; b = subtract 1 b; q = greater a u; ' ..
      'b = select q 1 b; z = multiply y b',
   check = function(m) m.threshold = 20 end,
}

transfer_rows.SoftShrink = {
   fields = { { 'lambda', 0.5 } },
   v = function(m) return zero_without_sign(m.lambda) end,
   u = function(m) return -m.lambda end,
   output = 'a = add x v; q = less x u; a = select q a 0; b = subtract x v; q = greater x v; z = select q b a',
   gradient = 'a = absolute x; q = greater a v; z = select q y 0',
}

transfer_rows.Threshold = {
   fields = { { 'threshold', 1e-6 }, { 'val', 0 }, { 'inplace', false } },
   v = function(m) return zero_without_sign(m.threshold) end,
   u = function(m) return m.val end,
   output = 'q = greater x v; z = select q x u',
   gradient = 'q = greater x v; z = select q y 0',
   check = function(m)
      if type(m.threshold) ~= 'number' or type(m.val) ~= 'number' then
         expect.fail(m, 'threshold and val must be numbers (got %s and %s)', expect.describe(m.threshold),
            expect.describe(m.val))
      end
      m:validateParameters()
   end,
}

return transfer_rows
