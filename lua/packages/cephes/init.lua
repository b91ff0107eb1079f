-- cephes: special functions, element by element, of SciPy. As in the original, cephes.gamma(x) takes numbers and
-- tensors with the same number of elements, or with one, of any type and shape. The result is a vector of the default
-- type, or is written to r by cephes.gamma(r, x), which keeps its shape if it has as many elements.

local torch = require 'torch'
local array_calls = require 'torch.utility.array_calls'
local check, types = require 'torch.base.check', require 'torch.base.types'

local cephes = {}
rawset(_G, 'cephes', cephes)

-- Functions by the number of their arguments.
local NAMES = {
   [[acos acosh airy asin asinh atan atanh cbrt ceil cos cosdg cosh cosm1 cot cotdg dawsn digamma ei ellpe ellpk erf
   erfc exp exp10 exp2 expm1 fabs fac floor fresnl gamma i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e kolmogi kolmogorov lgam log
   log10 log1p log2 ndtr ndtri psi rgamma round shichi sici signbit sin sindg sinh spence sqrt tan tandg tanh y0 y1
   zetac]],
   [[atan2 beta betagrad chdtr chdtrc chdtri ellie ellik ellpj expn expx2 hypot igam igamc igami iv jn jv kn lbeta
   ldexp lmvgam mvgam pdtr pdtrc pdtri polygamma pow powi smirnov smirnovi stdtr stdtri stdtrit struve yn yv zeta]],
   [[bdtr bdtrc bdtri btdtr fdtr fdtrc fdtri gdtr gdtrc hyperg incbet incbi nbdtr nbdtrc nbdtri radian]],
   [[hyp2f1]],
}

-- Makes vectors of tensors, and numbers of those with one element if others have more.
local function flatten(given)
   local count = 0
   for i = 1, #given do
      if types.of_tensor(given[i]) then count = math.max(count, given[i]:nElement()) end
   end
   for i = 1, #given do
      local value = given[i]
      if types.of_tensor(value) and value:nElement() > 0 then
         local vector = value:contiguous():view(-1)
         given[i] = count > 1 and vector:size(1) == 1 and vector[1] or vector
      end
   end
end

local function write(target, value)
   if types.of_tensor(value) and target:nElement() == value:nElement() then return target:copy(value) end
   return array_calls.copy_to(target, value)
end

for count, names in ipairs(NAMES) do
   for name in string.gmatch(names, '%w+') do
      local full = 'cephes.' .. name
      cephes[name] = function(...)
         local given, result = { ... }, nil
         if #given == count + 1 and types.of_tensor(given[1]) then result = table.remove(given, 1) end
         flatten(given)
         array_calls.check_arguments(full, 'argument', given, count)
         local found = array_calls.call(full, unpack(given))
         if result then return write(result, found[1]) end
         for i, value in ipairs(found) do
            if types.of_tensor(value) then found[i] = value:type(torch.getdefaulttensortype()) end
         end
         return unpack(found)
      end
   end
end

cephes.nan = 0 / 0
function cephes.isnan(x) return check.number('cephes.isnan', 'argument 1', x) ~= x end
function cephes.isinf(x) return math.abs(check.number('cephes.isinf', 'argument 1', x)) == math.huge end
function cephes.isfinite(x) return math.abs(check.number('cephes.isfinite', 'argument 1', x)) < math.huge end

-- Programs call functions of numbers by the table of those in C, too.
cephes.ffi = setmetatable({}, { __index = cephes })

return cephes
