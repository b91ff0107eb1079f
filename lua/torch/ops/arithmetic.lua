-- Arithmetic, element by element.

local quotient = { 'z = divide x v', integer = 'z = (divide(x, v))', nonzero = 'v' }
local quotients = { 'z = divide x y', integer = 'z = (divide(x, y))', nonzero = 'y' }
-- By the floor of the quotient, as TH has it, in doubles: where a quotient was rounded up to a whole number, the
-- remainder is off by a divisor from that of C's fmod.
local remainder = { 'a = divide x v; z = (x - v * floor(a))', integer = 'z = remainder x v', nonzero = 'v',
   Double = 'a = divide x v; a = floor a; a = multiply a v; z = subtract x a' }
local remainders = { 'a = divide x y; z = (x - y * floor(a))', integer = 'z = remainder x y', nonzero = 'y',
   Double = 'a = divide x y; a = floor a; a = multiply a y; z = subtract x a' }
local modulus = { 'z = fmod x v', nonzero = 'v' }
local moduli = { 'z = fmod x y', nonzero = 'y' }

-- The larger (smaller) of two as C's comparison has it: the second where one of them is nan.
local larger = { 'a = fmax x y; z = maximum a y', integer = 'z = maximum x y' }
local larger_number = { 'a = fmax x v; z = maximum a v', integer = 'z = maximum x v' }
local smaller = { 'a = fmin x y; z = minimum a y', integer = 'z = minimum x y' }
local smaller_number = { 'a = fmin x v; z = minimum a v', integer = 'z = minimum x v' }

return {
   { 'add', { '[r] t v', 'elementwise.map', { 'z = add x v' } },
      { '[r] t [v=1] t', 'elementwise.map',
        { 'a = multiply y v; z = add x a', special = { 'v == 1', 'z = add x y' } } },
      doc = 'Adds a number, or the elements of a second tensor times a scale, to each element.' },
   { 'csub', { '[r] t v', 'elementwise.map', { 'z = subtract x v' } },
      { '[r] t [v=1] t', 'elementwise.map',
        { 'a = multiply y v; z = subtract x a', special = { 'v == 1', 'z = subtract x y' } } },
      doc = 'Subtracts a number, or the elements of a second tensor times a scale, from each element.' },
   { 'mul', { '[r] t v', 'elementwise.map', { 'z = multiply x v' } },
      doc = 'Multiplies each element by a number.' },
   { 'cmul', { '[r] t t', 'elementwise.map', { 'z = multiply x y' } },
      doc = 'Multiplies the elements of two tensors.' },
   { 'div', { '[r] t v', 'elementwise.map', quotient },
      doc = 'Divides each element by a number; integer types truncate.' },
   { 'cdiv', { '[r] t t', 'elementwise.map', quotients },
      doc = 'Divides the elements of two tensors; integer types truncate.' },
   { 'remainder', { '[r] t v', 'elementwise.map', remainder },
      doc = 'Remainder of the division of each element by a number, with the sign of the divisor.' },
   { 'cremainder', { '[r] t t', 'elementwise.map', remainders },
      doc = 'Remainders of the division of two tensors, with the sign of the divisor.' },
   { 'fmod', { '[r] t v', 'elementwise.map', modulus },
      doc = 'Remainder of the division of each element by a number, with the sign of the element.' },
   { 'cfmod', { '[r] t t', 'elementwise.map', moduli },
      doc = 'Remainders of the division of two tensors, with the sign of the first.' },
   { 'mod', { '[r] t v', 'elementwise.map', modulus },
      doc = 'The same as fmod.' },
   { 'cmod', { '[r] t t', 'elementwise.map', moduli },
      doc = 'The same as cfmod.' },
   { 'cpow', { '[r] t t', 'elementwise.map', { 'z = power x y', integer = 'z = (x ^ y)' } },
      doc = 'Raises the elements of a tensor to the powers in a second one.' },
   { 'addcmul', { '[r] t [v=1] t t', 'elementwise.map',
        { 'a = multiply y w; a = multiply a v; z = add x a',
          special = { 'v == 1', 'a = multiply y w; z = add x a' } } },
      doc = 'Adds the products of the elements of two tensors, times a scale, to each element: x + scale y z.' },
   { 'addcdiv', { '[r] t [v=1] t t', 'elementwise.map',
        { 'a = divide y w; a = multiply a v; z = add x a', integer = 'z = (x + divide(v * y, w))', nonzero = 'w' } },
      doc = 'Adds the quotients of the elements of two tensors, times a scale, to each element: x + scale y / z.' },
   { 'cmax', { '[r] t t', 'elementwise.map', larger }, { '[r] t v', 'elementwise.map', larger_number },
      doc = 'The larger of each element and a number or the element of a second tensor.' },
   { 'cmin', { '[r] t t', 'elementwise.map', smaller }, { '[r] t v', 'elementwise.map', smaller_number },
      doc = 'The smaller of each element and a number or the element of a second tensor.' },
   { 'clamp', { '[r] t v v', 'elementwise.map',
        { 'a = maximum x v; z = minimum a u',
          special = { 'not (v_buffer[0] <= u_buffer[0])', 'z = (x < v and v or x > u and u or x)' } } },
      doc = 'Elements below low become low, those above high become high.' },
}
