-- Exponentials, products and diagonals of complex matrices, and polynomials of roots.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(signal)
   local complex = signal.complex

   local function numbers(name, x, least, most)
      check.real(name, 'argument 1', x)
      check.dimensions(name, 'argument 1', x, least, most)
      if x:size(x:dim()) ~= 2 then check.refuse(name, 'argument 1', 'complex numbers, ... x 2', x) end
      return x
   end

   function complex.exp(x)
      local found = numbers('signal.complex.exp', x, 2, 2):clone()
      local size, angle = torch.exp(x:select(2, 1)), x:select(2, 2)
      found:select(2, 1):copy(size):cmul(torch.cos(angle))
      found:select(2, 2):copy(size):cmul(torch.sin(angle))
      return found
   end

   -- The product of matrices, n x m x 2 and m x p x 2.
   function complex.mm(a, b)
      numbers('signal.complex.mm', a, 3, 3)
      numbers('signal.complex.mm', b, 3, 3)
      if a:size(2) ~= b:size(1) then
         check.refuse('signal.complex.mm', 'argument 2', ('%d rows'):format(a:size(2)), b)
      end
      local found = a.new(a:size(1), b:size(2), 2):zero()
      local real, imaginary = found:select(3, 1), found:select(3, 2)
      local ar, ai, br, bi = a:select(3, 1), a:select(3, 2), b:select(3, 1), b:select(3, 2)
      real:copy(torch.mm(ar, br) - torch.mm(ai, bi))
      imaginary:copy(torch.mm(ar, bi) + torch.mm(ai, br))
      return found
   end

   -- The matrix of a diagonal, n x n x 2, or the diagonal of a matrix, n x 2.
   function complex.diag(x)
      local d = numbers('signal.complex.diag', x, 2, 3):dim()
      local real, imaginary = torch.diag(x:select(d, 1)), torch.diag(x:select(d, 2))
      return torch.cat(real:view(-1, 1), imaginary:view(-1, 1), 2):view(unpack(
         real:dim() == 1 and { real:size(1), 2 } or { real:size(1), real:size(2), 2 }))
   end

   -- The coefficients, the highest power first, of the polynomial whose roots are a vector, or the eigenvalues of a
   -- matrix: complex ones, n x 2, unless they come in conjugate pairs. Of complex roots the parts are multiplied each
   -- for itself, as in the original.
   function complex.poly(x)
      check.real('signal.complex.poly', 'argument 1', x)
      check.dimensions('signal.complex.poly', 'argument 1', x, 1, 2)
      local roots = x:dim() == 1 and x:view(-1, 1) or torch.eig(x)
      local count = roots:size(1)
      local found = torch.zeros(count + 1, roots:size(2))
      found[1][1] = 1
      for j = 1, count do
         for part = 1, roots:size(2) do
            local column = found:select(2, part)
            local before = column:narrow(1, 1, j):clone()
            column:narrow(1, 2, j):add(-roots[j][part], before)
         end
      end
      if x:dim() == 1 then return found:select(2, 1) end
      local function imaginary(sign)
         local list = {}
         for j = 1, count do
            if roots[j][2] * sign >= 0 then table.insert(list, math.abs(roots[j][2])) end
         end
         table.sort(list)
         return table.concat(list, ' ')
      end
      return imaginary(1) == imaginary(-1) and found:select(2, 1) or found
   end
end
