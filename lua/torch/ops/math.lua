-- Functions of each element, and of numbers, which are computed in the default type.

local function unary(name, program, doc, example, types)
   local options = type(program) == 'table' and program or { program }
   return { name, { '[r] t', 'elementwise.map', options }, { 'v', 'elementwise.numbers', options, only = 'function' },
      types = types or 'real', doc = doc, example = example }
end

local function added(row)
   row.added = true
   return row
end

return {
   unary('exp', 'z = exp(x)', 'Exponential of each element.', [[
         torch.exp(torch.Tensor{0, 1})
         torch.exp(0)]]),
   unary('sigmoid', 'z = sigmoid(x)',
      'Logistic function of each element, 1 / (1 + e^-x).', 'torch.sigmoid(torch.Tensor{0, 100, -100})'),
   unary('tanh', 'z = tanh(x)', 'Hyperbolic tangent of each element.', 'torch.tanh(torch.Tensor{0, 1, -100})'),
   unary('abs', 'z = absolute(x)', 'Absolute value of each element.', [[
         torch.abs(torch.Tensor{-1.5, 2})
         torch.abs(-3)]], 'Int Long Float Double'),
   unary('neg', 'z = -x', 'Changes the sign of each element.', 'torch.neg(torch.Tensor{-1.5, 2})'),
   unary('cinv', 'z = 1 / x', 'One divided by each element.', 'torch.cinv(torch.Tensor{2, -4})'),
   unary('sqrt', 'z = sqrt(x)', 'Square root of each element; nan below 0.', [[
         torch.sqrt(torch.Tensor{9, 2})
         torch.sqrt(-1)]]),
   unary('rsqrt', 'z = 1 / sqrt(x)', 'One divided by the square root of each element.',
      'torch.rsqrt(torch.Tensor{4, 0.25})'),
   unary('log', 'z = log(x)', 'Natural logarithm of each element; nan below 0.', [[
         torch.log(torch.Tensor{1, 10})
         torch.log(0)]]),
   unary('log1p', 'z = log1p(x)', 'Natural logarithm of one plus each element, accurate for small elements.',
      'torch.log1p(1e-20), torch.log(1 + 1e-20)'),
   added(unary('lgamma', 'z = gammaln(x)',
      'Natural logarithm of the absolute value of the gamma function of each element.',
      'torch.lgamma(torch.Tensor{1, 5, 0.5}), math.log(24)')),
   unary('sin', 'z = sin(x)', 'Sine of each element, in radians.',
      'torch.sin(torch.Tensor{0, math.pi / 2, math.pi / 6})'),
   unary('cos', 'z = cos(x)', 'Cosine of each element, in radians.',
      'torch.cos(torch.Tensor{0, math.pi, math.pi / 3})'),
   unary('tan', 'z = tan(x)', 'Tangent of each element, in radians.',
      'torch.tan(torch.Tensor{0, math.pi / 4})'),
   unary('asin', 'z = arcsin(x)', 'Arc sine of each element, from -pi/2 to pi/2; nan beyond 1.', [[
         torch.asin(torch.Tensor{0, 1})
         torch.asin(2)]]),
   unary('acos', 'z = arccos(x)', 'Arc cosine of each element, from 0 to pi; nan beyond 1.',
      'torch.acos(torch.Tensor{1, -1})'),
   unary('atan', 'z = arctan(x)', 'Arc tangent of each element, from -pi/2 to pi/2.',
      'torch.atan(torch.Tensor{0, 1})'),
   unary('sinh', 'z = sinh(x)', 'Hyperbolic sine of each element.', 'torch.sinh(torch.Tensor{0, 1})'),
   unary('cosh', 'z = cosh(x)', 'Hyperbolic cosine of each element.', 'torch.cosh(torch.Tensor{0, 1})'),
   unary('floor', 'z = floor(x)', 'The largest whole number not above each element.',
      'torch.floor(torch.Tensor{1.5, -1.5})'),
   unary('ceil', 'z = ceil(x)', 'The smallest whole number not below each element.',
      'torch.ceil(torch.Tensor{1.5, -1.5})'),
   unary('trunc', 'z = trunc(x)', 'Each element without its fraction.',
      'torch.trunc(torch.Tensor{1.5, -1.5})'),
   unary('frac', 'z = x - trunc(x)', 'The fraction of each element, with its sign.',
      'torch.frac(torch.Tensor{1.25, -1.25})'),
   unary('round', 'z = round(x)',
      'The nearest whole number; halves are rounded away from zero.',
      'torch.round(torch.Tensor{1.4, 2.5, -2.5})'),
   -- The sign of nan is 0.
   unary('sign', { 'z = where(x < 0, -1, where(x > 0, 1, 0))', integer = 'z = sign(x)' },
      '1, 0 or -1 for positive, zero and negative elements; 0 for nan.', 'torch.sign(torch.Tensor{-3, 0, 0.1})',
      'arithmetic'),
   { 'atan2', { '[r] t t', 'elementwise.map', { 'z = arctan2(x, y)' } },
      { 'v v', 'elementwise.numbers', { 'z = arctan2(x, y)' }, only = 'function' }, types = 'real',
      doc = 'The angle, from -pi to pi, of the point with y from the first and x from the second tensor.',
      args = 'y x', example = [[
         torch.atan2(torch.Tensor{1, -1}, torch.Tensor{1, -1}):div(math.pi)
         torch.atan2(1, 0)]] },
   { 'pow',
      { '[r] t v', 'elementwise.map', { 'z = x ^ v', special = { 'v == 2', 'z = x * x',
        'v == 1', 'z = positive(x)', 'v == 3', 'z = x * x * x', 'v == 0.5', 'z = sqrt(x)',
        'v == -1', 'z = 1 / x', 'v == -0.5', 'z = 1 / sqrt(x)',
        'v == -2', 'z = 1 / (x * x)' } } },
      { '[r] v t', 'elementwise.map', { 'z = v ^ x' } },
      { 'v v', 'elementwise.numbers', { 'z = x ^ y' }, only = 'function' }, types = 'real',
      doc = 'Each element raised to a number, or a number raised to each element.',
      args = { 'x exponent', 'base x', 'base exponent' }, example = [[
         torch.pow(torch.Tensor{1, 2, 3}, 2)
         torch.pow(2, torch.Tensor{1, 2, 3})
         torch.pow(2, 10)]] },
   { 'lerp', { '[r] t t v', 'elementwise.map', { 'z = x + (y - x) * v' } },
      { 'v v v', 'elementwise.numbers', { 'z = x + (y - x) * w' }, only = 'function' },
      types = 'real', doc = 'From the first tensor towards the second by a weight: x + weight * (y - x).',
      args = 'x y weight', example = [[
         torch.lerp(torch.Tensor{0, 10}, torch.Tensor{4, 20}, 0.25)]] },
}
