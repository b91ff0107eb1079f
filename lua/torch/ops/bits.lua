-- Shifts and bit operations. Shifts fill with zeros at the width of the type and scale floating-point elements
-- by powers of two.

local function bitwise(name, ufunc, words)
   return { name, { '[r] t v', 'elementwise.map', { 'z = ' .. ufunc .. ' x v' }, types = 'integer' },
      { '[r] t v', 'elementwise.integers_only', types = 'real' },
      doc = words .. ' of the bits of each element and of a number.' }
end

local function bitwise_twins(name, ufunc, words)
   return { name, { '[r] t t', 'elementwise.map', { 'z = ' .. ufunc .. ' x y' }, types = 'integer' },
      { '[r] t t', 'elementwise.integers_only', types = 'real' },
      doc = words .. ' of the bits of the elements of two tensors.' }
end

return {
   bitwise('bitand', 'bitwise_and', 'And'),
   bitwise('bitor', 'bitwise_or', 'Or'),
   bitwise('bitxor', 'bitwise_xor', 'Exclusive or'),
   bitwise_twins('cbitand', 'bitwise_and', 'And'),
   bitwise_twins('cbitor', 'bitwise_or', 'Or'),
   bitwise_twins('cbitxor', 'bitwise_xor', 'Exclusive or'),
   { 'lshift', { '[r] t v', 'elementwise.map',
        { 'z = multiply x v', scalar = '2 ^ v', integer = 'z = left_shift:u x v' } },
      doc = 'Shifts the bits of each element to the left; multiplies by 2^value where the type is not of integers.' },
   { 'rshift', { '[r] t v', 'elementwise.map',
        { 'z = divide x v', scalar = '2 ^ v', integer = 'z = right_shift:u x v' } },
      doc = 'Shifts zeros into each element from the left; divides by 2^value where the type is not of integers.' },
   { 'clshift', { '[r] t t', 'elementwise.map', { 'a = exp2 y; z = multiply x a', integer = 'z = left_shift:u x y' } },
      doc = 'Shifts the bits of each element to the left by the element of a second tensor.' },
   { 'crshift', { '[r] t t', 'elementwise.map', { 'a = exp2 y; z = divide x a', integer = 'z = right_shift:u x y' } },
      doc = 'Shifts the bits of each element to the right by the element of a second tensor.' },
}
