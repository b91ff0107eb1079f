-- SoftMax and its logarithm along one dimension: `count` groups of n values that lie `step` elements apart,
-- each group as wide as its step.

return function(k)

local log = math.log
local SIZE, T = k.SIZE, k.T
local exp_all = k.map 'z = exp x'
local add, subtract = k.loop('add', T, T), k.loop('subtract', T, T)
local multiply, divide = k.loop('multiply', T, T), k.loop('divide', T, T)
local maximum, exp_row, log_row = k.loop('maximum', T, T), k.loop('exp', T), k.loop('log', T)

local kernels = {}

-- One number, for loops whose step is 0: of a row NumPy makes its largest element, or its sum.
local one = k.buffer(1)

-- Subtracts the largest of each row: exp does not overflow.
local function centred(m, n, x, z)
   for i = 0, m - 1 do
      local a = x + i * n
      one[0] = a[0]
      maximum(one, 0, a, SIZE, one, 0, n)
      subtract(a, SIZE, one, 0, z + i * n, SIZE, n)
   end
end

function kernels.softmax(m, n, x, z)
   centred(m, n, x, z)
   exp_all(z, nil, nil, z, m * n)
   for i = 0, m - 1 do
      local b = z + i * n
      one[0] = 0
      add(one, 0, b, SIZE, one, 0, n)
      divide(b, SIZE, one, 0, b, SIZE, n)
   end
end

-- `e` is scratch of m n elements.
function kernels.log_softmax(m, n, x, z, e)
   centred(m, n, x, z)
   exp_all(z, nil, nil, e, m * n)
   for i = 0, m - 1 do
      local b = z + i * n
      one[0] = 0
      add(one, 0, e + i * n, SIZE, one, 0, n)
      one[0] = log(one[0])
      subtract(b, SIZE, one, 0, b, SIZE, n)
   end
end

function kernels.softmax_gradient(m, n, y, g, z, e)
   multiply(y, SIZE, g, SIZE, e, SIZE, m * n)
   for i = 0, m - 1 do
      local r = z + i * n
      one[0] = 0
      add(one, 0, e + i * n, SIZE, one, 0, n)
      subtract(g + i * n, SIZE, one, 0, r, SIZE, n)
   end
   multiply(y, SIZE, z, SIZE, z, SIZE, m * n)
end

function kernels.log_softmax_gradient(m, n, y, g, z, e)
   exp_all(y, nil, nil, e, m * n)
   for i = 0, m - 1 do
      local a, b = e + i * n, g + i * n
      one[0] = 0
      add(one, 0, b, SIZE, one, 0, n)
      multiply(a, SIZE, one, 0, a, SIZE, n)
   end
   subtract(g, SIZE, e, SIZE, z, SIZE, m * n)
end

-- The same across planes of `step` elements. `e` is scratch of 2 step elements.
local function across(n, step, x, z, e)
   k.copy(e, x, step * SIZE)
   for j = 1, n - 1 do maximum(e, SIZE, x + j * step, SIZE, e, SIZE, step) end
   for j = 0, n - 1 do subtract(x + j * step, SIZE, e, SIZE, z + j * step, SIZE, step) end
end

function kernels.planes_softmax(n, step, x, z, e)
   across(n, step, x, z, e)
   exp_all(z, nil, nil, z, n * step)
   k.copy(e, z, step * SIZE)
   for j = 1, n - 1 do add(e, SIZE, z + j * step, SIZE, e, SIZE, step) end
   for j = 0, n - 1 do divide(z + j * step, SIZE, e, SIZE, z + j * step, SIZE, step) end
end

function kernels.planes_log_softmax(n, step, x, z, e)
   across(n, step, x, z, e)
   local sum, term = e, e + step
   k.fill(sum, step * SIZE)
   for j = 0, n - 1 do
      exp_row(z + j * step, SIZE, term, SIZE, step)
      add(sum, SIZE, term, SIZE, sum, SIZE, step)
   end
   log_row(sum, SIZE, sum, SIZE, step)
   for j = 0, n - 1 do subtract(z + j * step, SIZE, sum, SIZE, z + j * step, SIZE, step) end
end

function kernels.planes_softmax_gradient(n, step, y, g, z, e)
   local sum, term = e, e + step
   k.fill(sum, step * SIZE)
   for j = 0, n - 1 do
      multiply(y + j * step, SIZE, g + j * step, SIZE, term, SIZE, step)
      add(sum, SIZE, term, SIZE, sum, SIZE, step)
   end
   for j = 0, n - 1 do
      subtract(g + j * step, SIZE, sum, SIZE, term, SIZE, step)
      multiply(y + j * step, SIZE, term, SIZE, z + j * step, SIZE, step)
   end
end

function kernels.planes_log_softmax_gradient(n, step, y, g, z, e)
   local sum, term = e, e + step
   k.fill(sum, step * SIZE)
   for j = 0, n - 1 do add(sum, SIZE, g + j * step, SIZE, sum, SIZE, step) end
   for j = 0, n - 1 do
      exp_row(y + j * step, SIZE, term, SIZE, step)
      multiply(term, SIZE, sum, SIZE, term, SIZE, step)
      subtract(g + j * step, SIZE, term, SIZE, z + j * step, SIZE, step)
   end
end

return kernels

end
