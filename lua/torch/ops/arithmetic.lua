-- Arithmetic, element by element.

local quotient = { 'z = x / v', nonzero = 'v' }
local quotients = { 'z = x / y', nonzero = 'y' }
-- By the floor of the quotient in doubles, as in TH: a quotient rounded up to an integer differs from C's fmod by a
-- divisor.
local remainder = { 'z = residual(x, v, floor(x / v))', integer = 'z = remainder(x, v)', nonzero = 'v',
   Double = 'z = x - floor(x / v) * v' }
local remainders = { 'z = residual(x, y, floor(x / y))', integer = 'z = remainder(x, y)', nonzero = 'y',
   Double = 'z = x - floor(x / y) * y' }
local modulus = { 'z = fmod(x, v)', nonzero = 'v' }
local moduli = { 'z = fmod(x, y)', nonzero = 'y' }

-- Torch7 added 0 times a tensor to self by BLAS, which does nothing, not even for infinities and nan.
local nothing_added = 'v == 0 and rawequal(r, x) and contiguous(x) and contiguous(y)'

-- The larger (smaller) of two by C's comparison: the second if one of them is nan.
local larger = { 'z = where(x > y, x, y)' }
local larger_number = { 'z = where(x > v, x, v)' }
local smaller = { 'z = where(x < y, x, y)' }
local smaller_number = { 'z = where(x < v, x, v)' }

return {
   { 'add', { '[r] t v', 'elementwise.map', { 'z = x + v' } },
      { '[r] t [v=1] t', 'elementwise.map',
        { 'z = x + y * v', special = { 'v == 1', 'z = x + y', nothing_added, 'z = x' } } },
      doc = 'Adds a number, or the elements of a second tensor times a scale, to each element.',
      args = { '', 'x scale y' }, example = [[
         x = torch.Tensor{1, 2}
         torch.add(x, 10)
         torch.add(x, 2, torch.Tensor{100, 200})
         x:add(1):sum(), x:sum()]] },
   { 'csub', { '[r] t v', 'elementwise.map', { 'z = x - v' } },
      { '[r] t [v=1] t', 'elementwise.map',
        { 'z = x - y * v', special = { 'v == 1', 'z = x - y', nothing_added, 'z = x' } } },
      doc = 'Subtracts a number, or the elements of a second tensor times a scale, from each element.',
      args = { '', 'x scale y' }, example = [[
         torch.csub(torch.Tensor{5, 6}, torch.Tensor{1, 4})
         torch.csub(torch.Tensor{5, 6}, 2, torch.Tensor{1, 4})]] },
   { 'mul', { '[r] t v', 'elementwise.map', { 'z = x * v' } },
      doc = 'Multiplies each element by a number.', example = 'torch.mul(torch.Tensor{1, -2}, 3)' },
   { 'cmul', { '[r] t t', 'elementwise.map', { 'z = x * y' } },
      doc = 'Multiplies the elements of two tensors.',
      example = 'torch.cmul(torch.Tensor{1, 2}, torch.Tensor{3, 4})' },
   { 'div', { '[r] t v', 'elementwise.map', quotient },
      doc = 'Divides each element by a number; integer types truncate.', example = [[
         torch.div(torch.Tensor{1, -7}, 2)
         torch.div(torch.IntTensor{1, -7}, 2)]] },
   { 'cdiv', { '[r] t t', 'elementwise.map', quotients },
      doc = 'Divides the elements of two tensors; integer types truncate.',
      example = 'torch.cdiv(torch.Tensor{1, -7}, torch.Tensor{4, 2})' },
   { 'remainder', { '[r] t v', 'elementwise.map', remainder },
      doc = 'Remainder of the division of each element by a number, with the sign of the divisor.',
      example = 'torch.remainder(torch.Tensor{7, -7}, 3)' },
   { 'cremainder', { '[r] t t', 'elementwise.map', remainders },
      doc = 'Remainders of the division of two tensors, with the sign of the divisor.',
      example = 'torch.cremainder(torch.Tensor{7, -7}, torch.Tensor{3, 4})' },
   { 'fmod', { '[r] t v', 'elementwise.map', modulus },
      doc = 'Remainder of the division of each element by a number, with the sign of the element.',
      example = 'torch.fmod(torch.Tensor{7, -7}, 3)' },
   { 'cfmod', { '[r] t t', 'elementwise.map', moduli },
      doc = 'Remainders of the division of two tensors, with the sign of the first.',
      example = 'torch.cfmod(torch.Tensor{7, -7}, torch.Tensor{3, 4})' },
   { 'mod', { '[r] t v', 'elementwise.map', modulus },
      doc = 'The same as fmod.', example = 'torch.mod(torch.Tensor{7.5, -7.5}, 3)' },
   { 'cmod', { '[r] t t', 'elementwise.map', moduli },
      doc = 'The same as cfmod.', example = 'torch.cmod(torch.Tensor{7, -7}, torch.Tensor{4, 5})' },
   { 'cpow', { '[r] t t', 'elementwise.map', { 'z = x ^ y' } },
      doc = 'Raises the elements of a tensor to the powers in a second one.',
      example = 'torch.cpow(torch.Tensor{2, 9}, torch.Tensor{3, 0.5})' },
   { 'addcmul', { '[r] t [v=1] t t', 'elementwise.map',
        { 'z = x + y * v * w',
          special = { 'v == 1', 'z = x + y * w' } } },
      doc = 'Adds the products of the elements of two tensors, times a scale, to each element: x + scale y z.',
      args = 'scale y z', example = [[
         x, y, z = torch.Tensor{1, 1}, torch.Tensor{2, 3}, torch.Tensor{4, 5}
         torch.addcmul(x, y, z)
         torch.addcmul(x, 10, y, z)]] },
   { 'addcdiv', { '[r] t [v=1] t t', 'elementwise.map',
        { 'z = x + y * v / w', nonzero = 'w' } },
      doc = 'Adds the quotients of the elements of two tensors, times a scale, to each element: x + scale y / z.',
      args = 'scale y z', example = [[
         x, y, z = torch.Tensor{1, 1}, torch.Tensor{2, 3}, torch.Tensor{4, 5}
         torch.addcdiv(x, 10, y, z)]] },
   { 'cmax', { '[r] t t', 'elementwise.map', larger }, { '[r] t v', 'elementwise.map', larger_number },
      doc = 'The larger of each element and a number or the element of a second tensor.', example = [[
         torch.cmax(torch.Tensor{1, 5}, torch.Tensor{4, 2})
         torch.cmax(torch.Tensor{1, 5}, 3)]] },
   { 'cmin', { '[r] t t', 'elementwise.map', smaller }, { '[r] t v', 'elementwise.map', smaller_number },
      doc = 'The smaller of each element and a number or the element of a second tensor.', example = [[
         torch.cmin(torch.Tensor{1, 5}, torch.Tensor{4, 2})
         torch.cmin(torch.Tensor{1, 5}, 3)]] },
   { 'clamp', { '[r] t v v', 'elementwise.map',
        { 'z = where(x < v, v, where(x > u, u, x))' } },
      doc = 'Elements below low become low, those above high become high.',
      args = 'low high', example = 'torch.clamp(torch.Tensor{-5, 0.5, 5}, -1, 1)' },
}
