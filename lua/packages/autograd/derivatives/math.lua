-- Functions of each element, and of numbers.

local function unary(name, x) return { name, { 't', x = x }, { 'v', v = (string.gsub(x, '%f[%w]x%f[%W]', 'v')) } } end
local function step(name) return { name, constant = true } end

return {
   unary('exp', 'mul(g, out)'),
   unary('sigmoid', 'mul(g, mul(out, sub(1, out)))'),
   unary('tanh', 'mul(g, sub(1, mul(out, out)))'),
   unary('abs', 'mul(g, sign(x))'),
   unary('neg', 'neg(g)'),
   unary('cinv', 'neg(mul(g, mul(out, out)))'),
   unary('sqrt', 'div(mul(g, 0.5), out)'),
   unary('rsqrt', 'mul(mul(g, -0.5), pow(out, 3))'),
   unary('log', 'div(g, x)'),
   unary('log1p', 'div(g, add(x, 1))'),
   unary('lgamma', 'mul(g, digamma(x))'),
   unary('sin', 'mul(g, cos(x))'),
   unary('cos', 'neg(mul(g, sin(x)))'),
   unary('tan', 'mul(g, add(mul(out, out), 1))'),
   unary('asin', 'div(g, sqrt(sub(1, mul(x, x))))'),
   unary('acos', 'neg(div(g, sqrt(sub(1, mul(x, x)))))'),
   unary('atan', 'div(g, add(mul(x, x), 1))'),
   unary('sinh', 'mul(g, cosh(x))'),
   unary('cosh', 'mul(g, sinh(x))'),
   step 'floor', step 'ceil', step 'trunc', step 'round', step 'sign',
   unary('frac', 'g'),
   { 'atan2', { 't t', x = 'div(mul(g, y), add(mul(x, x), mul(y, y)))',
      y = 'neg(div(mul(g, x), add(mul(x, x), mul(y, y))))' },
      { 'v v', v = 'g * u / (v * v + u * u)', u = '-g * v / (v * v + u * u)' } },
   { 'pow', { 't v', x = 'mul(g, mul(pow(x, v - 1), v))', v = 'inner(g, mul(out, log(x)))' },
      { 'v t', v = 'inner(g, mul(x, pow(v, sub(x, 1))))', x = 'mul(g, mul(out, log(v)))' },
      { 'v v', v = 'g * u * pow(v, u - 1)', u = 'g * out * log(v)' } },
   { 'lerp', { 't t v', x = 'mul(g, 1 - v)', y = 'mul(g, v)', v = 'inner(g, sub(y, x))' },
      { 'v v v', v = 'g * (1 - w)', u = 'g * w', w = 'g * (u - v)' } },
}
