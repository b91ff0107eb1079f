-- Products of vectors, matrices and batches of matrices.

-- beta x + alpha y z, with the gradients of the product by its operands.
local function added(name, product, y, z)
   return { name, { '[v=1] t [v=1] t t', v = 'inner(g, x)', x = 'mul(g, v)', u = string.format('inner(g, %s)', product),
      y = string.format('mul(%s, u)', y), z = string.format('mul(%s, u)', z) } }
end

return {
   { 'dot', { 't t', x = 'mul(y, g)', y = 'mul(x, g)' } },
   { 'mv', { 't t', x = 'ger(g, y)', y = 'mv(t(x), g)' } },
   { 'mm', { 't t', x = 'mm(g, t(y))', y = 'mm(t(x), g)' } },
   { 'bmm', { 't t', x = 'bmm(g, t(y))', y = 'bmm(t(x), g)' } },
   { 'ger', { 't t', x = 'mv(g, y)', y = 'mv(t(g), x)' } },
   added('addmv', 'mv(y, z)', 'ger(g, z)', 'mv(t(y), g)'),
   added('addmm', 'mm(y, z)', 'mm(g, t(z))', 'mm(t(y), g)'),
   added('addr', 'ger(y, z)', 'mv(g, z)', 'mv(t(g), y)'),
   added('addbmm', 'sum_along(bmm(y, z), 1)', 'bmm(repeated(g, y), t(z))', 'bmm(t(y), repeated(g, y))'),
   added('baddbmm', 'bmm(y, z)', 'bmm(g, t(z))', 'bmm(t(y), g)'),
   { 'einsum', { 's T', list = 'each_operand(g, s, list)' }, { 's t', x = 'einsum_by(g, s, { x }, 1)' },
      { 's t t', x = 'einsum_by(g, s, { x, y }, 1)', y = 'einsum_by(g, s, { x, y }, 2)' },
      { 's t t t', x = 'einsum_by(g, s, { x, y, z }, 1)', y = 'einsum_by(g, s, { x, y, z }, 2)',
         z = 'einsum_by(g, s, { x, y, z }, 3)' } },
}
