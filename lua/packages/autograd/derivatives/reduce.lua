-- Reductions: to one number, or along a dimension.

local function constant(name) return { name, constant = true } end

-- As in the original, all elements equal to the minimum or maximum receive the gradient.
local function minmax(name)
   return { name, { 't', x = 'where(eq(unwrap(x), unwrap(out)), fill(x, g))' },
      { 't d [k]', x = 'where(same(x, broadcast(unwrap(out), x, d)), broadcast(g, x, d))' } }
end

-- Values at an index along a dimension, which is the second result.
local function picked(name, signature) return { name, { signature, x = 'put_back(g, x, d, more)' } } end

return {
   { 'sum', { 't', x = 'fill(x, g)' }, { 't d [k]', x = 'broadcast(g, x, d)' } },
   { 'prod', { 't', x = 'mul(other_products(x:contiguous():view(-1), 1), g)' },
      { 't d [k]', x = 'mul(other_products(x, d), broadcast(g, x, d))' } },
   { 'mean', { 't', x = 'fill(x, g / x:nElement())' }, { 't d [k]', x = 'div(broadcast(g, x, d), x:size(d))' } },
   minmax 'max', minmax 'min',
   constant 'all', constant 'any',
   { 'trace', { 't', x = 'mul(torch.eye(x:size(1), x:size(2)):typeAs(unwrap(x)), g)' } },
   { 'var', { 't [b]', x = 'deviations(g, x, b)' }, { 't d [b] [k]', x = 'deviations(broadcast(g, x, d), x, b, d)' } },
   { 'std', { 't [b]', x = 'deviations(div(g, out * 2), x, b)' },
      { 't d [b] [k]', x = 'deviations(broadcast(div(g, mul(out, 2)), x, d), x, b, d)' } },
   { 'norm', { 't [v=2]', x = 'norm_by(g, x, v, out)' },
      { 't v d [k]', x = 'norm_by(broadcast(g, x, d), x, v, broadcast(out, x, d))' } },
   { 'dist', { 't t [v=2]', x = 'norm_by(g, sub(x, y), v, out)', y = 'neg(norm_by(g, sub(x, y), v, out))' } },
   { 'match', { 't t [v=1]', x = 'mul(sub(mul(x, sum_along(g, 2):expandAs(x)), mm(g, y)), 2 * v)',
      y = 'mul(sub(mul(y, sum_along(g:t(), 2):expandAs(y)), mm(g:t(), x)), 2 * v)', v = 'div(inner(g, out), v)' } },
   { 'renorm', { 't v d v', x = 'through(renormed, g, x, v, d, u)' } },
   constant 'histc', constant 'bhistc',
   { 'cumsum', { 't [d=1]', x = 'reversed(cumsum(reversed(g, d), d), d)' } },
   { 'cumprod', { 't [d=1]', x = 'cumprod_by(g, x, d, out)' } },
   { 'cross', { 't t [d]', x = 'torch.cross(y, g, d or three(x))', y = 'torch.cross(g, x, d or three(x))' } },
   picked('sort', 't [d] [b]'),
   picked('topk', 't [n=1] [d] [b] [b]'),
   picked('kthvalue', 't n [d] [k]'),
   picked('median', 't [d] [k]'),
   picked('mode', 't [d] [k]'),
}
