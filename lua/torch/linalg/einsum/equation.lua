-- Equations of einsum: '...chw,c->...hw' to lists of labels. A label is a number: the byte of a letter, or ELLIPSIS + k
-- for the dimension of '...' that is the k-th from its end.

local check = require 'torch.base.check'

local equation = {}

local ELLIPSIS = 256

function equation.label(label)
   if label < ELLIPSIS then return "letter '" .. string.char(label) .. "'" end
   return "dimension " .. label - ELLIPSIS .. " from the end of '...'"
end

local function bytes(letters) return { string.byte(letters, 1, -1) } end

local function parse_term(name, text)
   local head, dots, tail = string.match(text, '^(%a*)(%.*)(%a*)$')
   if not head or #dots ~= 0 and #dots ~= 3 then
      check.fail(name, "the equation must be of letters, at most one '...', ',' and '->' (got '%s')", text)
   end
   return { text = text, head = bytes(head), tail = bytes(tail), dots = #dots > 0 }
end

-- An equation as a list of the terms of its operands, and the term of its output where there is one: { text, head,
-- tail, dots } are the letters before and after '...', and whether that is there.
function equation.parse(name, text)
   local plain, output = string.gsub(text, '%s', ''), nil
   local arrow = string.find(plain, '->', 1, true)
   if arrow then plain, output = string.sub(plain, 1, arrow - 1), parse_term(name, string.sub(plain, arrow + 2)) end
   local terms = {}
   for term in string.gmatch(plain .. ',', '([^,]*),') do terms[#terms + 1] = parse_term(name, term) end
   return terms, output
end

local function add(list, more)
   for _, label in ipairs(more) do list[#list + 1] = label end
end

local function add_ellipsis(list, count)
   for k = count, 1, -1 do list[#list + 1] = ELLIPSIS + k end
end

-- The labels of an operand of `dim` dimensions; nil when these are too few or, without '...', too many.
function equation.labels(term, dimensions)
   local rest = dimensions - #term.head - #term.tail
   if rest < 0 or rest > 0 and not term.dots then return nil end
   local list = {}
   add(list, term.head)
   add_ellipsis(list, rest)
   add(list, term.tail)
   return list
end

local function broadcast(operands)
   local dims = 0
   for _, labels in ipairs(operands) do
      for _, label in ipairs(labels) do dims = math.max(dims, label - ELLIPSIS) end
   end
   return dims
end

-- The labels of the output: those of its term, or '...' and the letters that occur once, in alphabetical order.
function equation.output(name, text, term, operands)
   local counts, list = {}, {}
   for _, labels in ipairs(operands) do
      for _, label in ipairs(labels) do counts[label] = (counts[label] or 0) + 1 end
   end
   if not term then
      for label, count in pairs(counts) do
         if count == 1 and label < ELLIPSIS then list[#list + 1] = label end
      end
      table.sort(list)
      local all = {}
      add_ellipsis(all, broadcast(operands))
      add(all, list)
      return all
   end
   add(list, term.head)
   if term.dots then add_ellipsis(list, broadcast(operands)) end
   add(list, term.tail)
   local seen = {}
   for _, label in ipairs(list) do
      if not counts[label] then
         check.fail(name, "%s of the output must stand in an operand (got '%s')", equation.label(label), text)
      elseif seen[label] then
         check.fail(name, "%s must stand once in the output (got '%s')", equation.label(label), text)
      end
      seen[label] = true
   end
   return list
end

return equation
