-- SoftMax and its logarithm along one dimension: `count` groups of n values that lie `step` elements apart,
-- each group as wide as its step.

return function(k)

local log, max = math.log, math.max
local SIZE, T = k.SIZE, k.T
local huge = math.huge
local exp_all = k.map 'z = exp x'
local add, subtract = k.loop('add', T, T), k.loop('subtract', T, T)
local multiply, divide = k.loop('multiply', T, T), k.loop('divide', T, T)
local maximum, exp_row, log_row = k.loop('maximum', T, T), k.loop('exp', T), k.loop('log', T)

local kernels = {}

-- Subtracts the largest of each row: exp does not overflow.
local function centred(m, n, x, z)
   for i = 0, m - 1 do
      local a, b = x + i * n, z + i * n
      local top = -huge
      for j = 0, n - 1 do top = max(top, a[j]) end
      for j = 0, n - 1 do b[j] = a[j] - top end
   end
end

function kernels.softmax(m, n, x, z)
   centred(m, n, x, z)
   exp_all(z, nil, nil, z, m * n)
   for i = 0, m - 1 do
      local b, sum = z + i * n, 0
      for j = 0, n - 1 do sum = sum + b[j] end
      for j = 0, n - 1 do b[j] = b[j] / sum end
   end
end

-- `e` is scratch of m n elements.
function kernels.log_softmax(m, n, x, z, e)
   centred(m, n, x, z)
   exp_all(z, nil, nil, e, m * n)
   for i = 0, m - 1 do
      local a, b, sum = e + i * n, z + i * n, 0
      for j = 0, n - 1 do sum = sum + a[j] end
      sum = log(sum)
      for j = 0, n - 1 do b[j] = b[j] - sum end
   end
end

function kernels.softmax_gradient(m, n, y, g, z)
   for i = 0, m - 1 do
      local a, b, r, sum = y + i * n, g + i * n, z + i * n, 0
      for j = 0, n - 1 do sum = sum + a[j] * b[j] end
      for j = 0, n - 1 do r[j] = a[j] * (b[j] - sum) end
   end
end

function kernels.log_softmax_gradient(m, n, y, g, z, e)
   exp_all(y, nil, nil, e, m * n)
   for i = 0, m - 1 do
      local a, b, r, sum = e + i * n, g + i * n, z + i * n, 0
      for j = 0, n - 1 do sum = sum + b[j] end
      for j = 0, n - 1 do r[j] = b[j] - a[j] * sum end
   end
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
