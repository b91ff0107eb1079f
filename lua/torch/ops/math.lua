-- Functions of each element, and of numbers, which are computed in the default type.

local function unary(name, program, doc, types)
   local how = { program }
   return { name, { '[r] t', 'elementwise.map', how }, { 'v', 'elementwise.numbers', how, only = 'function' },
      types = types or 'real', doc = doc }
end

local function added(row)
   row.added = true
   return row
end

-- NumPy has vector loops of these for Float, and with vectors of 512 bits for Double. Large ones are shared between
-- cores, and a few elements are done before a loop of Lua is entered. Between them the loop of Lua is worth its time:
-- a loop ends traces, so that steps of programs are cut there.
local exponential = { 'z = exp x', Double = 'z = (exp(x))', special = { 'n < 64 or n >= 1024', 'z = exp x' } }
local logistic = { 'a = multiply x -1; a = exp a; a = add a 1; z = divide 1 a', Double = 'z = (1 / (1 + exp(-x)))',
   special = { 'n >= 1024', 'a = multiply x -1; a = exp a; a = add a 1; z = divide 1 a' } }

return {
   { 'exp', { '[r] t', 'elementwise.map', exponential }, { 'v', 'elementwise.numbers', exponential, only = 'function' },
      types = 'real', doc = 'Exponential of each element.' },
   { 'sigmoid', { '[r] t', 'elementwise.map', logistic }, { 'v', 'elementwise.numbers', logistic, only = 'function' },
      types = 'real', doc = 'Logistic function of each element, 1 / (1 + e^-x).' },
   unary('tanh', 'z = tanh x', 'Hyperbolic tangent of each element.'),
   unary('abs', 'z = absolute x', 'Absolute value of each element.', 'Int Long Float Double'),
   -- NumPy's loop `negative` goes wrong in place with steps that are multiples of 16 bytes.
   unary('neg', 'z = multiply x -1', 'Changes the sign of each element.'),
   unary('cinv', 'z = divide 1 x', 'One divided by each element.'),
   unary('sqrt', 'z = sqrt x', 'Square root of each element; nan below 0.'),
   unary('rsqrt', 'a = sqrt x; z = divide 1 a', 'One divided by the square root of each element.'),
   unary('log', 'z = log x', 'Natural logarithm of each element; nan below 0.'),
   unary('log1p', 'z = log1p x', 'Natural logarithm of one plus each element, accurate for small elements.'),
   -- Far below zero all numbers are whole, where the function is infinite; SciPy's is -inf at -inf.
   added(unary('lgamma', 'a = maximum x -1e30; z = gammaln a',
      'Natural logarithm of the absolute value of the gamma function of each element.')),
   unary('sin', 'z = sin x', 'Sine of each element, in radians.'),
   unary('cos', 'z = cos x', 'Cosine of each element, in radians.'),
   unary('tan', 'z = tan x', 'Tangent of each element, in radians.'),
   unary('asin', 'z = arcsin x', 'Arc sine of each element, from -pi/2 to pi/2; nan beyond 1.'),
   unary('acos', 'z = arccos x', 'Arc cosine of each element, from 0 to pi; nan beyond 1.'),
   unary('atan', 'z = arctan x', 'Arc tangent of each element, from -pi/2 to pi/2.'),
   unary('sinh', 'z = sinh x', 'Hyperbolic sine of each element.'),
   unary('cosh', 'z = cosh x', 'Hyperbolic cosine of each element.'),
   unary('floor', 'z = floor x', 'The largest whole number not above each element.'),
   unary('ceil', 'z = ceil x', 'The smallest whole number not below each element.'),
   unary('trunc', 'z = trunc x', 'Each element without its fraction.'),
   unary('frac', 'a = trunc x; z = subtract x a', 'The fraction of each element, with its sign.'),
   -- Twice the fraction, truncated, is what to add; fmax replaces the nan that infinities give.
   unary('round', 'a = trunc x; b = subtract x a; b = add b b; b = trunc b; b = fmax b -1; z = add a b',
      'The nearest whole number; halves are rounded away from zero.'),
   { 'sign',
      -- NumPy's sign of nan is nan; here it is 0.
      { '[r] t', 'elementwise.map',
        { 'a = sign x; b = fmax a 0; a = fmin a 0; a = add a 0; z = add a b', integer = 'z = sign x' } },
      { 'v', 'elementwise.numbers',
        { 'a = sign x; b = fmax a 0; a = fmin a 0; a = add a 0; z = add a b', integer = 'z = sign x' },
        only = 'function' },
      doc = '1, 0 or -1 for positive, zero and negative elements; 0 for nan.' },
   { 'atan2', { '[r] t t', 'elementwise.map', { 'z = arctan2 x y' } },
      { 'v v', 'elementwise.numbers', { 'z = arctan2 x y' }, only = 'function' }, types = 'real',
      doc = 'The angle, from -pi to pi, of the point with y from the first and x from the second tensor.' },
   { 'pow',
      { '[r] t v', 'elementwise.map', { 'z = power x v', special = { 'v == 2', 'z = multiply x x',
        'v == 1', 'z = positive x', 'v == 3', 'a = multiply x x; z = multiply a x', 'v == 0.5', 'z = sqrt x',
        'v == -1', 'z = divide 1 x', 'v == -0.5', 'a = sqrt x; z = divide 1 a',
        'v == -2', 'a = multiply x x; z = divide 1 a' } } },
      { '[r] v t', 'elementwise.map', { 'z = power v x' } },
      { 'v v', 'elementwise.numbers', { 'z = power x y' }, only = 'function' }, types = 'real',
      doc = 'Each element raised to a number, or a number raised to each element.' },
   { 'lerp', { '[r] t t v', 'elementwise.map', { 'a = subtract y x; a = multiply a v; z = add x a' } },
      { 'v v v', 'elementwise.numbers', { 'a = subtract y x; a = multiply a w; z = add x a' }, only = 'function' },
      types = 'real', doc = 'From the first tensor towards the second by a weight: x + weight * (y - x).' },
}
