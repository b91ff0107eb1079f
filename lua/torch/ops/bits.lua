-- Shifts and bit operations. Shifts fill with zeros at the width of the type and scale fractions by powers of two.

local function bitwise(name, ufunc, words, example)
   return { name, { '[r] t v', 'elementwise.map', { 'z = ' .. ufunc .. '(x, v)' }, types = 'integer' },
      { '[r] t v', 'elementwise.integers_only', types = 'real' },
      doc = words .. ' of the bits of each element and of a number.', example = example }
end

local function bitwise_twins(name, ufunc, words, example)
   return { name, { '[r] t t', 'elementwise.map', { 'z = ' .. ufunc .. '(x, y)' }, types = 'integer' },
      { '[r] t t', 'elementwise.integers_only', types = 'real' },
      doc = words .. ' of the bits of the elements of two tensors.', example = example }
end

return {
   bitwise('bitand', 'bitwise_and', 'And', 'torch.bitand(torch.IntTensor{12, 7}, 10)'),
   bitwise('bitor', 'bitwise_or', 'Or', 'torch.bitor(torch.IntTensor{12, 7}, 10)'),
   bitwise('bitxor', 'bitwise_xor', 'Exclusive or', 'torch.bitxor(torch.IntTensor{12, 7}, 10)'),
   bitwise_twins('cbitand', 'bitwise_and', 'And',
      'torch.cbitand(torch.IntTensor{12, 7}, torch.IntTensor{4, 3})'),
   bitwise_twins('cbitor', 'bitwise_or', 'Or', 'torch.cbitor(torch.IntTensor{12, 7}, torch.IntTensor{1, 8})'),
   bitwise_twins('cbitxor', 'bitwise_xor', 'Exclusive or',
      'torch.cbitxor(torch.IntTensor{12, 7}, torch.IntTensor{4, 8})'),
   { 'lshift', { '[r] t v', 'elementwise.map',
        { 'z = x * v', scalar = '2 ^ v', integer = 'z = left_shift(x, v)' } },
      doc = 'Shifts the bits of each element to the left; multiplies by 2^value where the type is not of integers.',
      example = [[
         torch.lshift(torch.ByteTensor{1, 255}, 1)
         torch.lshift(torch.Tensor{1.5}, 2)]] },
   { 'rshift', { '[r] t v', 'elementwise.map',
        { 'z = x / v', scalar = '2 ^ v', integer = 'z = right_shift(x, v)' } },
      doc = 'Shifts zeros into each element from the left; divides by 2^value where the type is not of integers.',
      example = 'torch.rshift(torch.ByteTensor{4, 255}, 1)' },
   { 'clshift', { '[r] t t', 'elementwise.map', { 'z = x * exp2(y)', integer = 'z = left_shift(x, y)' } },
      doc = 'Shifts the bits of each element to the left by the element of a second tensor.',
      example = 'torch.clshift(torch.IntTensor{1, 1}, torch.IntTensor{3, 10})' },
   { 'crshift', { '[r] t t', 'elementwise.map', { 'z = x / exp2(y)', integer = 'z = right_shift(x, y)' } },
      doc = 'Shifts the bits of each element to the right by the element of a second tensor.',
      example = 'torch.crshift(torch.IntTensor{100, 100}, torch.IntTensor{1, 2})' },
}
