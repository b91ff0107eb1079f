-- Elements picked by index tensors and masks.

local torch = require 'torch'

return {
   { 'index', { 't d L', x = "index_add(g, x, d, index)" } },
   { 'indexCopy', { 't d L t', x = 'g:clone():indexFill(d, index, 0)', y = 'g:index(d, index)' }, changes = true },
   { 'indexAdd', { 't d L t', x = 'g', y = 'g:index(d, index)' }, changes = true },
   { 'indexFill', { 't d L v', x = 'g:clone():indexFill(d, index, 0)',
      v = 'inner(g, unwrap(g):clone():zero():indexFill(d, index, 1))' },
      changes = true },
   { 'gather', { 't d L', x = 'scatter_add(g, x, d, index)' } },
   { 'scatter', { 't d L t', x = 'unscattered(g, d, index)', y = 'gathered(g, d, index, y)' },
      { 't d L v', x = 'unscattered(g, d, index)', v = 'sum(scattered(g, d, index))' },
      changes = true },
   { 'maskedSelect', { 't B', x = "place(g, x, 'maskedSelect', all)" } },
   { 'maskedCopy', { 't B t', x = 'g:clone():maskedFill(mask, 0)', y = 'unmasked(g, mask, y)' }, changes = true },
   { 'maskedFill', { 't B v', x = 'g:clone():maskedFill(mask, 0)', v = 'sum(g:maskedSelect(mask))' }, changes = true },
   { 'where', { 'B t t', x = 'where(mask, g)', y = 'where(eq(mask, 0), g)' },
      { 'B t v', x = 'where(mask, g)', v = 'sum(where(eq(mask, 0), g))' },
      { 'B v t', v = 'sum(where(mask, g))', x = 'where(eq(mask, 0), g)' },
      { 'B v v', v = 'sum(where(mask, g))', u = 'sum(where(eq(mask, 0), g))' },
      { 't B t', x = 'where(mask, g)', y = 'where(eq(mask, 0), g)' },
      { 't B v', x = 'where(mask, g)', v = 'sum(where(eq(mask, 0), g))' },
      -- As a method, the tensor comes before the mask.
      forward = function(a, b, c)
         if string.find(torch.type(b), 'ByteTensor$') and torch.isTensor(a) and not string.find(torch.type(a),
            'ByteTensor$') then
            a, b = b, a
         end
         return torch.where(a, b, c)
      end },
   { 'nonzero', constant = true },
}
