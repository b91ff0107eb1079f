-- Takes a program of expressions apart into steps, { to, name, operands }, the inner ones first, as
-- t7shell/native/rows.py does for the build. Temporary registers are a1, a2 and so on.

local error, find, ipairs, pairs, tonumber, unpack = error, string.find, ipairs, pairs, tonumber, unpack
local concat = table.concat

local SUMS, PRODUCTS = { ['+'] = 'add', ['-'] = 'subtract' }, { ['*'] = 'multiply', ['/'] = 'divide' }
local COMPARED = { ['<'] = 'less', ['<='] = 'less_equal', ['>'] = 'greater', ['>='] = 'greater_equal',
   ['=='] = 'equal', ['~='] = 'not_equal' }

local PATTERNS = { '^%d[%d.]*e%-?%d+', '^%d[%d.]*', '^[%a_][%w_]*', '^[<>=~]=', '^[-+*/^<>(),]' }

local function tokens_of(text)
   local tokens, at = {}, 1
   while at <= #text do
      local from, to
      for _, pattern in ipairs(PATTERNS) do
         from, to = find(text, pattern, at)
         if from then break end
      end
      if from then
         tokens[#tokens + 1], at = string.sub(text, from, to), to + 1
      elseif string.sub(text, at, at) == ' ' then
         at = at + 1
      else
         error(string.format('program: unknown sign (got %s)', string.sub(text, at)), 0)
      end
   end
   return tokens
end

-- Appends the steps of an expression and returns the operand that holds its value.
local function parse(text, steps)
   local tokens, k = tokens_of(text), 1
   local comparison

   local function step(name, ...)
      local to = (COMPARED[name] and 'q' or 'a') .. #steps + 1
      steps[#steps + 1] = { to = to, name = name, operands = { ... } }
      return to
   end

   local function expect(token)
      if tokens[k] ~= token then error(string.format('program: expected %s (got %s)', token, text), 0) end
      k = k + 1
   end

   local function atom()
      local token = tokens[k] or 'its end'
      k = k + 1
      if token == '(' then
         local value = comparison()
         expect ')'
         return value
      elseif not find(token, '^[%w_]') then
         error(string.format('program: expected an operand (got %s in %s)', token, text), 0)
      elseif tokens[k] ~= '(' then
         return token
      end
      local operands = {}
      repeat
         k = k + 1
         operands[#operands + 1] = comparison()
      until tokens[k] ~= ','
      expect ')'
      return step(token == 'where' and 'select' or token, unpack(operands))
   end

   local function factor()
      if tokens[k] == '-' then
         k = k + 1
         local operand = factor()
         return tonumber(operand) and '-' .. operand or step('multiply', operand, '-1')
      end
      local base = atom()
      if tokens[k] ~= '^' then return base end
      k = k + 1
      return step('power', base, factor())
   end

   -- Operands with signs between them, from left to right.
   local function chain(operand, names)
      local left = operand()
      while names[tokens[k]] do
         local name = names[tokens[k]]
         k = k + 1
         left = step(name, left, operand())
      end
      return left
   end

   local function product() return chain(factor, PRODUCTS) end
   local function sum() return chain(product, SUMS) end
   comparison = function() return chain(sum, COMPARED) end

   local value = comparison()
   if tokens[k] then error(string.format('program: expected an operator (got %s in %s)', tokens[k], text), 0) end
   return value
end

local program_steps = {}

-- The steps of a program, the last of which writes z.
function program_steps.of(text)
   local steps = {}
   for part in string.gmatch(text .. ';', '%s*(.-)%s*;') do
      local to, expression = string.match(part, '^(%a) = (.+)$')
      if not to then error(string.format('program: expected an assignment (got %s)', part), 0) end
      local before, value = #steps, parse(expression, steps)
      if #steps == before then steps[before + 1] = { name = 'positive', operands = { value } } end
      steps[#steps].to = to
   end
   return steps
end

local SIGNS = { power = '^' }
for _, names in ipairs { SUMS, PRODUCTS, COMPARED } do
   for sign, name in pairs(names) do SIGNS[name] = sign end
end

-- The program of a single step.
function program_steps.text_of(name, operands)
   local sign = SIGNS[name]
   if sign then return string.format('z = %s %s %s', operands[1], sign, operands[2]) end
   return string.format('z = %s(%s)', name == 'select' and 'where' or name, concat(operands, ', '))
end

return program_steps
