-- Tensors made from numbers and from other tensors.

local function sizes(name) return { name, none = 'its arguments are sizes' } end

-- The parts of g that came from the tensors of a list.
local parts = [[
   local lists, first = {}, 1
   for i, x in ipairs(list) do
      local n = unwrap(x):size(d or unwrap(x):dim())
      lists[i] = g:narrow(d or unwrap(x):dim(), first, n)
      first = first + n
   end
   return lists]]

local slices = [[
   local lists = {}
   for i in ipairs(list) do lists[i] = g:select(positive(d, g), i) end
   return lists]]

return {
   sizes 'zeros', sizes 'ones', sizes 'eye',
   { 'full', none = 'use x.new(sizes):fill(number)' },
   { 'range', { 'v v [v=1]', v = 'sum(g)', u = false, w = 'inner(g, steps(g))' } },
   { 'arange', { 'v', v = false }, { 'v v [v=1]', v = 'sum(g)', u = false, w = 'inner(g, steps(g))' } },
   { 'linspace', { 'v v [n=100]', v = 'inner(g, sub(1, parts_of_one(g)))', u = 'inner(g, parts_of_one(g))' } },
   { 'logspace', { 'v v [n=100]', v = 'mul(inner(mul(g, out), sub(1, parts_of_one(g))), math.log(10))',
      u = 'mul(inner(mul(g, out), parts_of_one(g)), math.log(10))' } },
   { 'diag', { 't [n=0]', x = 'diag_by(g, x, n)' } },
   { 'tril', { 't [n=0]', x = 'tril(g, n)' } },
   { 'triu', { 't [n=0]', x = 'triu(g, n)' } },
   { 'cat', { 't t [d]', x = 'g:narrow(d or x:dim(), 1, x:size(d or x:dim()))',
      y = 'g:narrow(d or x:dim(), x:size(d or x:dim()) + 1, y:size(d or y:dim()))' }, { 'T [d]', list = parts } },
   { 'stack', { 't t [d=1]', x = 'g:select(positive(d, g), 1)', y = 'g:select(positive(d, g), 2)' },
      { 'T [d=1]', list = slices } },
   { 'flatten', { 't ...', x = 'g:contiguous():viewAs(unwrap(x))' } },
   { 'shape', constant = true },
   { 'item', { 't', x = 'fill(x, g)' } },
}
