-- Functions of formulas for convolutions, and for products by an equation.

local ipairs, pairs, table, tonumber, unpack = ipairs, pairs, table, tonumber, unpack
local torch = require 'torch'
local formulas = require 'autograd.formulas'
local add, mul, unwrap = formulas.add, formulas.mul, formulas.unwrap

local contractions = {}

-- x in the opposite order along its last dimensions.
local function flipped(x, dimensions)
   for d = unwrap(x):dim() - dimensions + 1, unwrap(x):dim() do x = formulas.reversed(x, d) end
   return x
end

-- Tensors along a new first dimension; the dialect `th` has no torch.stack.
local function stacked(list)
   for i, x in ipairs(list) do
      list[i] = x:contiguous():view(torch.LongStorage { 1, unpack(unwrap(x):size():totable()) })
   end
   return torch.cat(list, 1)
end

-- A convolution of planes, of convolutions of one image and one kernel.
local function by_planes(x, y, name, region, dimensions)
   local results = {}
   for i = 1, unwrap(y):size(1) do
      if unwrap(y):dim() == dimensions + 1 then
         results[i] = torch[name](x:select(1, i), y:select(1, i), region)
      else
         for k = 1, unwrap(x):size(1) do
            local result = torch[name](x:select(1, k), y:select(1, i):select(1, k), region)
            results[i] = results[i] and add(results[i], result) or result
         end
      end
   end
   return stacked(results)
end

-- The gradients at the image (which = 1) and at the kernel (2).
function contractions.convolution_by(g, x, y, name, region, which)
   local dimensions, full, mirrored = tonumber(string.sub(name, -1)), region == 'F', string.find(name, 'conv') ~= nil
   if unwrap(x):dim() > dimensions then
      if which == 1 then return formulas.through(by_planes, g, x, y, name, region or 'V', dimensions) end
      local function by_kernel(kernel) return by_planes(x, kernel, name, region or 'V', dimensions) end
      return formulas.through(by_kernel, g, y)
   end
   local xcorr, conv = torch['xcorr' .. dimensions], torch['conv' .. dimensions]
   if which == 1 then return (mirrored and xcorr or conv)(g, y, full and 'V' or 'F') end
   local by = full and xcorr(g, x, 'V') or xcorr(x, g, 'V')
   return full ~= mirrored and flipped(by, dimensions) or by
end

local function letters_of(text)
   local letters = {}
   for letter in string.gmatch(text, '%a') do letters[#letters + 1] = letter end
   return letters
end

-- The operands' letters and the output's, with letters for '...'.
local function parse_equation(equation, list)
   local left, right = string.match(string.gsub(equation, '%s', ''), '^(.-)%->(.*)$')
   if not left then left, right = string.gsub(equation, '%s', ''), nil end
   local operands, used = {}, {}
   for letter in string.gmatch(equation, '%a') do used[letter] = true end
   local free = {}
   for code = 65, 122 do
      local letter = string.char(code)
      if string.find(letter, '%a') and not used[letter] then free[#free + 1] = letter end
   end
   for text in string.gmatch(left .. ',', '(.-),') do
      local k = #operands + 1
      local extra = unwrap(list[k]):dim() - #letters_of(text)
      operands[k] = string.gsub(text, '%.%.%.', table.concat(free, '', 1, extra))
      if right and string.find(text, '...', 1, true) then right = string.gsub(right, '%.%.%.', table.concat(free, '', 1,
         extra)) end
   end
   if not right then
      local counts, once = {}, {}
      for letter in string.gmatch(table.concat(operands), '%a') do counts[letter] = (counts[letter] or 0) + 1 end
      for letter, count in pairs(counts) do
         if count == 1 then once[#once + 1] = letter end
      end
      table.sort(once)
      right = table.concat(once)
   end
   return operands, right, free
end

-- The gradient of torch.einsum at operand `which`: an einsum of g and the other operands.
function contractions.einsum_by(g, equation, list, which)
   local operands, out, free = parse_equation(equation, list)
   local terms, factors, seen, wanted = {}, {}, {}, ''
   if out ~= '' then terms[1], factors[1] = out, g end
   for k, letters in ipairs(operands) do
      if k ~= which then terms[#terms + 1], factors[#factors + 1] = letters, list[k] end
   end
   local there, next_free = table.concat(terms), #free
   for position, letter in ipairs(letters_of(operands[which])) do
      local n = unwrap(list[which]):size(position)
      if seen[letter] then
         -- A letter that comes twice took the diagonal.
         terms[#terms + 1], factors[#factors + 1] = letter .. free[next_free], torch.eye(n):typeAs(unwrap(list[which]))
         wanted, next_free = wanted .. free[next_free], next_free - 1
      else
         wanted = wanted .. letter
         if not string.find(there, letter, 1, true) then
            terms[#terms + 1], factors[#factors + 1] = letter, unwrap(list[which]).new(n):fill(1)
         end
      end
      seen[letter] = true
   end
   local result = torch.einsum(table.concat(terms, ',') .. '->' .. wanted, factors)
   return out == '' and mul(result, g) or result
end

function contractions.each_operand(g, equation, list)
   local results = {}
   for k in ipairs(list) do results[k] = contractions.einsum_by(g, equation, list, k) end
   return results
end

return contractions
