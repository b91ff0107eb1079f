-- Arithmetic, element by element.

local division = { ufunc = 'divide', integer = { loop = 'a / b', nonzero = true } }
local remainder = { ufunc = 'remainder', integer = { ufunc = 'remainder', nonzero = true } }
local modulus = { ufunc = 'fmod', integer = { ufunc = 'fmod', nonzero = true } }

return {
   { 'add', { '[r] t v', 'elementwise.scalar', { ufunc = 'add' } },
      { '[r] t [v=1] t', 'elementwise.scaled', { ufunc = 'add' } },
      doc = 'Adds a number, or the elements of a second tensor times a number, to each element.' },
   { 'csub', { '[r] t v', 'elementwise.scalar', { ufunc = 'subtract' } },
      { '[r] t [v=1] t', 'elementwise.scaled', { ufunc = 'subtract' } },
      doc = 'Subtracts a number, or the elements of a second tensor times a number, from each element.' },
   { 'mul', { '[r] t v', 'elementwise.scalar', { ufunc = 'multiply' } },
      doc = 'Multiplies each element by a number.' },
   { 'cmul', { '[r] t t', 'elementwise.binary', { ufunc = 'multiply' } },
      doc = 'Multiplies the elements of two tensors.' },
   { 'div', { '[r] t v', 'elementwise.scalar', division },
      doc = 'Divides each element by a number; integer types truncate.' },
   { 'cdiv', { '[r] t t', 'elementwise.binary', division },
      doc = 'Divides the elements of two tensors; integer types truncate.' },
   { 'remainder', { '[r] t v', 'elementwise.scalar', remainder },
      doc = 'Remainder of the division of each element by a number, with the sign of the divisor.' },
   { 'cremainder', { '[r] t t', 'elementwise.binary', remainder },
      doc = 'Remainders of the division of two tensors, with the sign of the divisor.' },
   { 'fmod', { '[r] t v', 'elementwise.scalar', modulus },
      doc = 'Remainder of the division of each element by a number, with the sign of the element.' },
   { 'cfmod', { '[r] t t', 'elementwise.binary', modulus },
      doc = 'Remainders of the division of two tensors, with the sign of the first.' },
   { 'mod', { '[r] t v', 'elementwise.scalar', modulus },
      doc = 'The same as fmod.' },
   { 'cmod', { '[r] t t', 'elementwise.binary', modulus },
      doc = 'The same as cfmod.' },
   { 'neg', { '[r] t', 'elementwise.unary', { ufunc = 'negative' } }, types = 'real',
      doc = 'Changes the sign of each element.' },
   { 'abs', { '[r] t', 'elementwise.unary', { ufunc = 'absolute' } }, types = 'Int Long Float Double',
      doc = 'Absolute value of each element.' },
}
