-- The reference of the classes, for the manual and the help: how they are made, their formula and their shapes. It is
-- read from the rows of the chapters, which have these fields:
--
--    summary     a sentence or two
--    formula     the output y from the input x, or the loss from x and the target t
--    arguments   those of the constructor: 'name: meaning', 'name=default: meaning', 'name?: meaning' if optional
--    parameters  the learned tensors: 'weight outputs x inputs, bias outputs'
--    shapes      'input -> output' of a module, 'input, target -> number' of a criterion
--    where       sizes in `shapes` that follow from others: 'oW = W - kW + 1'
--    example     a constructor; nn.Name() if there is none
--
-- Sizes are products of names, of arguments and of sizes that may be anything, and of the numbers of the example:
-- 'B x n x 2*H'. `[B x]` is a batch that may be left out, `*` stands for any sizes, the same ones throughout, and `any`
-- for shapes that are given in words. `{a, b}` is a table, `{a, ...}` one of any length. `n of 1..c` are indices up to
-- c, `n of 0/1` elements that are one of these. A chapter has `shapes` for classes that do not say otherwise.

local constructors, classes = require 'nn.class.constructors', require 'nn.class.classes'

local reference = {}

-- A constructor with its arguments: nn.Linear(inputSize, outputSize [, bias=true]).
local function usage(name, arguments)
   local text, open = '', false
   for i, argument in ipairs(arguments) do
      local optional = argument[3] and not open
      open = open or optional
      text = text .. (optional and (i > 1 and ' [' or '[') or '') .. (i > 1 and ', ' or '') .. argument[1]
         .. (argument[2] and '=' .. argument[2] or '')
   end
   return name .. '(' .. text .. (open and ']' or '') .. ')'
end

-- The record of a class, such as 'nn.Linear'; nil where a package does not document its class.
function reference.of(name)
   local row = classes.rows[name]
   if not row or not row.summary then return nil end
   local arguments = constructors.arguments_of(row)
   return { name = name, usage = usage(name, arguments), summary = row.summary, formula = row.formula,
      arguments = arguments, parameters = row.parameters, shapes = row.shapes or row.chapter.shapes, where = row.where,
      example = row.example or name .. '()', chapter = row.chapter.name }
end

-- The text of a record below its usage.
function reference.text(record)
   local lines, width = { record.summary }, 0
   if record.formula then table.insert(lines, '\n   ' .. record.formula) end
   for _, argument in ipairs(record.arguments) do width = math.max(width, #argument[1]) end
   for i, argument in ipairs(record.arguments) do
      table.insert(lines, (i == 1 and '\n' or '') .. string.format('   %-' .. width .. 's  %s', argument[1],
         argument[4]))
   end
   table.insert(lines, '\nShapes: ' .. record.shapes .. (record.where and ',\n   ' .. record.where or ''))
   if record.parameters then table.insert(lines, 'Parameters: ' .. record.parameters) end
   return table.concat(lines, '\n')
end

-- The chapters of nn in their order: { name, title, names of the classes }.
function reference.chapters()
   local list = {}
   for i, rows in ipairs(classes.chapters) do
      local names = {}
      for k, row in ipairs(rows) do names[k] = 'nn.' .. row[1] end
      list[i] = { rows.name, rows.title, names }
   end
   return list
end

return reference
