-- Arithmetic, element by element.

local sum = { 't v', x = 'g', v = 'sum(g)' }
local quotient = { 't v', x = 'div(g, v)', v = 'neg(div(inner(g, out), v))' }
local quotients = { 't t', x = 'div(g, y)', y = 'neg(div(mul(g, out), y))' }

-- Remainders of the division by v, whose quotient is rounded by `round` and has the derivative 0 where it is
-- continuous.
local function rest(name, round)
   return { name, { 't v', x = 'g', v = string.format('neg(inner(g, %s(div(x, v))))', round) } }
end

local function rests(name, round)
   return { name, { 't t', x = 'g', y = string.format('neg(mul(g, %s(div(x, y))))', round) } }
end

-- As in the original, equal operands both have the gradient.
local function minmax(name)
   return { name, { 't t', x = 'where(same(x, out), g)', y = 'where(same(y, out), g)' },
      { 't v', x = 'where(same(x, out), g)', v = 'sum(where(eq(unwrap(out), unwrap(v)), g))' } }
end

return {
   { 'add', sum, { 't [v=1] t', x = 'g', v = 'inner(g, y)', y = 'mul(g, v)' } },
   { 'csub', { 't v', x = 'g', v = 'neg(sum(g))' },
      { 't [v=1] t', x = 'g', v = 'neg(inner(g, y))', y = 'mul(g, -v)' } },
   { 'mul', { 't v', x = 'mul(g, v)', v = 'inner(g, x)' } },
   { 'cmul', { 't t', x = 'mul(g, y)', y = 'mul(g, x)' } },
   { 'div', quotient },
   { 'cdiv', quotients },
   rest('remainder', 'floor'), rests('cremainder', 'floor'),
   rest('fmod', 'trunc'), rests('cfmod', 'trunc'), rest('mod', 'trunc'), rests('cmod', 'trunc'),
   { 'cpow', { 't t', x = 'mul(g, mul(y, pow(x, sub(y, 1))))', y = 'mul(g, mul(out, log(x)))' } },
   { 'addcmul', { 't [v=1] t t', x = 'g', v = 'inner(g, mul(y, z))', y = 'mul(g, mul(z, v))',
      z = 'mul(g, mul(y, v))' } },
   { 'addcdiv', { 't [v=1] t t', x = 'g', v = 'inner(g, div(y, z))', y = 'mul(div(g, z), v)',
      z = 'neg(mul(mul(g, v), div(y, mul(z, z))))' } },
   minmax 'cmax', minmax 'cmin',
   -- As in the original, elements at a bound have no gradient.
   { 'clamp', { 't v v', x = 'where(ne(unwrap(out), unwrap(v)):cmul(ne(unwrap(out), unwrap(u))), g)',
      v = 'sum(where(lt(unwrap(x), unwrap(v)), g))', u = 'sum(where(gt(unwrap(x), unwrap(u)), g))' } },
}
