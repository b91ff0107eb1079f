-- Ten minutes with tensors. Run it: t7 examples/quickstart.lua

require 'torch'

print '1. Tensors are made from sizes, from tables, or from ranges.'
local zeros = torch.zeros(2, 3)
local table_of_rows = torch.Tensor{{1, 2, 3}, {4, 5, 6}}
local numbers = torch.range(1, 12)
print(zeros)
print(table_of_rows)
print(numbers:size(1), numbers:sum())

print '2. A view looks at the same memory in another way. Nothing is copied.'
local x = numbers:view(3, 4)
local column = x:select(2, 1)
column:fill(0)
print(x)
print(numbers)

print '3. The operator [] takes numbers, ranges and masks, to read and to write.'
print(x[2][3], x[{2, 3}])
print(x[{{1, 2}, {-2, -1}}])
x[{{}, 4}] = 100
x[x:gt(50)] = -1
print(x)

print '4. Arithmetic makes new tensors; methods work in place.'
local a = torch.Tensor{1, 2, 3}
local b = torch.Tensor{10, 20, 30}
print(a + b)
print(a * 2 - 1)
a:add(0.5, b):cmul(b)
print(a)

print '5. Products of matrices and vectors.'
local m = torch.Tensor{{2, 0}, {0, 3}}
local v = torch.Tensor{1, 1}
print(m * v)
print(m * m)
print(v * v)

print '6. Reductions give a number, or work along a dimension, which stays with size 1.'
local scores = torch.Tensor{{3, 9, 4}, {8, 1, 5}}
local best, where = torch.max(scores, 2)
print(scores:max(), scores:mean())
print(best)
print(where)

print '7. Element types: seven to compute with, and conversions between all of them.'
local bytes = torch.ByteTensor{250, 255, 3}
print(bytes + 10)
print(bytes:int() + 10)

print '8. A line through points, by gradient descent.'
local inputs = torch.range(0, 4)
local targets = inputs * 3 + 1
local slope, offset = 0, 0
for _ = 1, 2000 do
   local errors = inputs * slope + offset - targets
   slope = slope - 0.05 * errors:dot(inputs) / inputs:nElement()
   offset = offset - 0.05 * errors:mean()
end
print(string.format('slope %.3f, offset %.3f', slope, offset))
