-- The operators of Values: + - * / ^ and unary minus, on numbers and tensors.

local function row(name, forward, ...) return { 'operator.' .. name, forward = forward, ... } end

return {
   row('add', function(a, b) return a + b end, { 'v v', v = 'g', u = 'g' }, { 't v', x = 'g', v = 'sum(g)' },
      { 'v t', v = 'sum(g)', x = 'g' }, { 't t', x = 'like(g, x)', y = 'like(g, y)' }),
   row('sub', function(a, b) return a - b end, { 'v v', v = 'g', u = '-g' }, { 't v', x = 'g', v = 'neg(sum(g))' },
      { 'v t', v = 'sum(g)', x = 'neg(g)' }, { 't t', x = 'like(g, x)', y = 'neg(like(g, y))' }),
   row('mul', function(a, b) return a * b end, { 'v v', v = 'g * u', u = 'g * v' },
      { 't v', x = 'mul(g, v)', v = 'inner(g, x)' }, { 'v t', v = 'inner(g, x)', x = 'mul(g, v)' },
      { 't t', x = 'left_by(g, x, y)', y = 'right_by(g, x, y)' }),
   row('div', function(a, b) return a / b end, { 'v v', v = 'g / u', u = '-g * out / u' },
      { 't v', x = 'div(g, v)', v = 'neg(inner(g, out) / v)' },
      { 't t', x = 'like(div(g, y), x)', y = 'like(neg(div(mul(g, out), y)), y)' },
      { 'v t', v = 'inner(g, cinv(x))', x = 'neg(mul(g, mul(out, cinv(x))))' }),
   row('mod', function(a, b) return a % b end, { 'v v', v = 'g', u = '-g * math.floor(unwrap(v) / unwrap(u))' },
      { 't v', x = 'g', v = 'neg(inner(g, floor(div(x, v))))' }),
   row('pow', function(a, b) return a ^ b end, { 'v v', v = 'g * u * pow(v, u - 1)', u = 'g * out * log(v)' }),
   row('unm', function(a) return -a end, { 'v', v = '-g' }, { 't', x = 'neg(g)' }),
}
