-- Sums, products, differences and quotients of tables of whole numbers: kernels of nn are for Floats and Doubles, so
-- these call the operations of tensors, whose results wrap around and whose quotients are rounded to whole numbers.

local ADD, MULTIPLY, SUBTRACT, DIVIDE = {}, {}, {}, {}

function ADD.step(y, x) y:add(x) end
function ADD.gradient() end

function MULTIPLY.step(y, x) y:cmul(x) end
function MULTIPLY.gradient(r, input, i)
   for j = 1, #input do
      if j ~= i then r:cmul(input[j]) end
   end
end

function SUBTRACT.step(y, x) y:add(-1, x) end
function SUBTRACT.gradient(r, _, i)
   if i == 2 then r:mul(-1) end
end

function DIVIDE.step(y, x) y:cdiv(x) end
function DIVIDE.gradient(r, input, i)
   r:cdiv(input[2])
   if i == 2 then
      local quotient = r:clone()
      r:zero():addcdiv(-1, quotient, input[2]):cmul(input[1])
   end
end

local methods = { CAddTable = ADD, CMulTable = MULTIPLY, CSubTable = SUBTRACT, CDivTable = DIVIDE }
local integer_tables = {}

function integer_tables.output(class, module, input, count)
   local y = module.output
   if module.inplace then y:set(input[1]) else y:resizeAs(input[1]):copy(input[1]) end
   for i = 2, count do methods[class].step(y, input[i]) end
   return y
end

function integer_tables.gradients(class, module, input, gradOutput, count)
   local gradInput = module.gradInput
   for i = 1, count do
      gradInput[i] = gradInput[i] or input[i].new()
      gradInput[i]:resizeAs(input[i]):copy(gradOutput)
      methods[class].gradient(gradInput[i], input, i)
   end
   for i = count + 1, #gradInput do gradInput[i] = nil end
   return gradInput
end

return integer_tables
