-- What functions of doubles in machine code share: constants, memory, polynomials, and sums and products in two parts.

local exact_steps = {}

local function double(code, value) return code:number(value, 'double') end
exact_steps.double = double
function exact_steps.bits(code, value) return code:number(value, 'int64_t') end

-- A vector that is put aside, below the stack's end: there is room for four.
function exact_steps.aside(k) return { base = 4, offset = -32 * k } end

-- Sets d to the sum of coefficients times powers of x.
function exact_steps.polynomial(code, d, x, coefficients)
   code:move(d, double(code, coefficients[#coefficients]))
   for k = #coefficients - 1, 1, -1 do code:multiply_add(d, x, double(code, coefficients[k])) end
end

-- Sets d to a + b as rounded, and adds what it lacks to `lack`; changes a. a is 0 or not less than b.
function exact_steps.sum(code, d, a, b, lack)
   code:add(d, a, b)
   code:subtract(a, a, d)
   code:add(a, a, b)
   code:add(lack, lack, a)
end

-- Sets d to the product of a and b as rounded, and `lack` to what it lacks.
function exact_steps.product(code, d, lack, a, b)
   code:multiply(d, a, b)
   code:bit_xor(lack, d, double(code, -0.0))
   code:add_product(lack, a, b)
end

-- Sets d to x, within limits: NaN stays. Changes `other`.
function exact_steps.bounded(code, d, x, least, most, other)
   code:move(d, double(code, most))
   code:min(d, d, x)
   code:move(other, double(code, least))
   code:max(d, other, d)
end

return exact_steps
