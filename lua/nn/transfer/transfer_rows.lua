-- The elementwise transfer functions, one row each. A new one is a row here, a line of init.lua, and a record in
-- tests/nn/module_records.py.
--
--    output      a program for z, the output, from x, the input; programs are explained at the top of
--                torch/kernels/elementwise/fused.lua
--    gradient    a program for z, the gradInput, from x, the input, y, the gradOutput, and w, the output
--    v, u        functions of the module for the numbers v and u of the programs
--    fields      the constructor's arguments: { name, default }; `inplace`, where there is one, is in place
--    in_place    programs that are used in place, where the original's comparisons differ there: { output, gradient };
--                with `whole`, only for contiguous inputs of two and more dimensions
--    flag_first  a first argument that is a boolean stands for the default
--    tostring    the text that is printed
--    special     for modules whose programs are simpler: a function of the module and the number
--                of elements that gives a table with other programs, `output` and `gradient`
--    check       called after the fields are set
--    parts       classes of modules that Torch7's methods read, by field

local expect = require 'nn.checks.expect'

local transfer_rows = {}

local function zero_without_sign(number) return number == 0 and 0 or number end

transfer_rows.Abs = {
   output = 'z = absolute(x)',
   gradient = 'z = y * where(x >= 0, 1, -1)',
}

transfer_rows.Exp = { output = 'z = exp(x)', gradient = 'z = y * w' }

transfer_rows.Log = { output = 'z = log(x)', gradient = 'z = 1 / x * y' }

transfer_rows.LogSigmoid = {
   -- log(sigmoid(x)) = -(max(-x, 0) + log(1 + exp(-|x|))), which never overflows.
   output = 'z = -(maximum(-x, 0) + log(1 + exp(-absolute(x))))',
   gradient = 'a = 1 + exp(-absolute(x)); b = (a - 1) / a; z = where(x < 0, 1 - b, b) * y',
}

transfer_rows.Sigmoid = {
   output = 'z = sigmoid(x)',
   gradient = 'z = y * (1 - w) * w',
}

transfer_rows.SoftSign = {
   output = 'z = x / (absolute(x) + 1)',
   gradient = 'a = absolute(x) + 1; z = y / (a * a)',
}

transfer_rows.Sqrt = {
   fields = { { 'eps', 0 } },
   output = 'z = sqrt(x)',
   -- 0 where the output is 0.
   gradient = 'z = where(w == 0, 0, y * 0.5 / w)',
}

transfer_rows.Square = { output = 'z = x * x', gradient = 'a = x * y; z = a + a' }

transfer_rows.Tanh = { output = 'z = tanh(x)', gradient = 'z = (1 - w * w) * y' }

transfer_rows.TanhShrink = {
   parts = { tanh = 'Tanh' },
   output = 'z = x - tanh(x)',
   gradient = 'a = tanh(x); z = y - y * (1 - a * a)',
}

transfer_rows.ELU = {
   tostring = function(m) return string.format(' (alpha:%f)', m.alpha) end,
   fields = { { 'alpha', 1 }, { 'inplace', false } },
   v = function(m) return m.alpha or 1 end,
   output = 'wide; z = where(x <= 0, (exp(x) - 1) * v, x)',
   gradient = 'z = where(w <= 0, (w + v) * y, y)',
}

transfer_rows.HardShrink = {
   fields = { { 'lambda', 0.5 } },
   v = function(m) return m.lambda end,
   output = 'z = where(absolute(x) > v, x, 0)',
   gradient = 'z = where(absolute(x) > v, y, 0)',
}

transfer_rows.HardTanh = {
   fields = { { 'min_val', -1 }, { 'max_val', 1 }, { 'inplace', false } },
   v = function(m) return m.min_val or -1 end,
   u = function(m) return m.max_val or 1 end,
   -- As the original compares: NaN is the upper limit, or stays in place, and its gradient passes.
   output = 'z = where(x < v, v, where(x <= u, x, u))',
   in_place = { output = 'z = where(x < v, v, where(x > u, u, x))', whole = true },
   gradient = 'z = where(x >= u, 0, where(x <= v, 0, y))',
   check = function(m)
      if not (m.max_val > m.min_val) then
         expect.fail(m, 'max_val must be > min_val (got %s and %s)', m.max_val, m.min_val)
      end
   end,
}

transfer_rows.LeakyReLU = {
   tostring = function(m) return string.format('(%g)', m.negval) end,
   fields = { { 'negval', 1 / 100 }, { 'inplace', false } },
   flag_first = true,
   v = function(m) return m.negval end,
   output = 'z = where(x > 0, x, x * v)',
   gradient = 'z = where(x > 0, y, y * v)',
   in_place = { gradient = 'z = where(x <= 0, y * v, y)' },
   check = function(m)
      -- The gradient needs the sign of the input, which only then follows from that of the output.
      if m.negval < 0 then m.inplace = false end
   end,
}

-- Powers that need no function.
local POWERS = {
   [0.5] = { output = 'z = sqrt(x)', gradient = 'z = 1 / sqrt(x) * y * 0.5' },
   [2] = transfer_rows.Square,
   [3] = { output = 'z = x * x * x',
      gradient = 'z = x * x * y * 3' },
}

transfer_rows.Power = {
   special = function(m) return POWERS[m.pow] end,
   fields = { { 'pow' } },
   v = function(m) return m.pow end,
   u = function(m) return m.pow - 1 end,
   output = 'z = x ^ v',
   gradient = 'z = x ^ u * y * v',
   check = function(m)
      if type(m.pow) ~= 'number' then expect.argument_error(m, 'pow', 'a number', m.pow) end
   end,
}

transfer_rows.ReLU6 = {
   fields = { { 'inplace', false } },
   output = 'z = where(x < 0, 0, where(x <= 6, x, 6))',
   in_place = { output = 'z = where(x < 0, 0, where(x > 6, 6, x))', whole = true },
   gradient = 'z = where(x >= 6, 0, where(x <= 0, 0, y))',
}

transfer_rows.SoftPlus = {
   fields = { { 'beta', 1 } },
   v = function(m) return m.beta end,
   -- From beta x = threshold on the function is the identity, and from 40 on it rounds to it.
   u = function(m) return math.min(m.threshold or 20, 40) end,
   output = 'a = x * v; z = where(a > u, x, log1p(exp(a)) / v)',
   gradient = 'a = w * v; b = exp(a); z = where(a > u, y, y * (b - 1) / b)',
   check = function(m) m.threshold = 20 end,
}

transfer_rows.SoftShrink = {
   fields = { { 'lambda', 0.5 } },
   v = function(m) return zero_without_sign(m.lambda) end,
   u = function(m) return -m.lambda end,
   output = 'z = where(x > v, x - v, where(x < u, x + v, 0))',
   gradient = 'z = where(absolute(x) > v, y, 0)',
}

transfer_rows.Threshold = {
   fields = { { 'threshold', 1e-6 }, { 'val', 0 }, { 'inplace', false } },
   v = function(m) return zero_without_sign(m.threshold) end,
   u = function(m) return m.val end,
   output = 'z = where(x > v, x, u)',
   gradient = 'z = where(x > v, y, 0)',
   -- NaN stays, and its gradient passes.
   in_place = { output = 'z = where(x <= v, u, x)', gradient = 'z = where(x <= v, 0, y)' },
   check = function(m)
      if type(m.threshold) ~= 'number' or type(m.val) ~= 'number' then
         expect.fail(m, 'threshold and val must be numbers (got %s and %s)', expect.describe(m.threshold),
            expect.describe(m.val))
      end
      m:validateParameters()
   end,
}

return transfer_rows
