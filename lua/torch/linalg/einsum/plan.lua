-- Plans of einsum: what is done to operands of given sizes, as lists of positions, for any element type and layout.
--
-- Dimensions of size 1 take no part: they are left out of the operands, and put into the result. A label that no other
-- operand and not the output has is summed up at once. Then two operands at a time become one.

local insert, ipairs, pairs, remove = table.insert, ipairs, pairs, table.remove
local check, geometry = require 'torch.core.check', require 'torch.core.geometry'
local equation, order = require 'torch.linalg.einsum.equation', require 'torch.linalg.einsum.order'
local format = string.format

local plan = {}

-- The sizes of a tensor; one without elements has one of size 0.
local function sizes_of(t)
   local list = {}
   for d = 1, t._dim do list[d] = t._size[d - 1] end
   return #list > 0 and list or { 0 }
end

local function labels_of(name, i, term, operand)
   local sizes = operand.number and {} or sizes_of(operand.tensor)
   local labels = equation.labels(term, #sizes)
   if not labels then
      check.refuse(name, 'operand ' .. i, format("a tensor of %s%d dimension%s for '%s'",
         term.dots and 'at least ' or '', #term.head + #term.tail, #term.head + #term.tail == 1 and '' or 's',
         term.text), operand.number or operand.tensor)
   end
   return labels, sizes
end

-- Notes the size of each label. Sizes of 1 agree with all others, but not within an operand.
local function agree(name, i, labels, sizes, tensors, found)
   local own = {}
   for d, label in ipairs(labels) do
      local size, before = sizes[d], found[label]
      if own[label] and own[label] ~= size then
         check.fail(name, '%s must have one size (got %.0f and %.0f in operand %d [%s])', equation.label(label),
            own[label], size, i, geometry.shape(tensors[i].tensor))
      end
      own[label] = size
      if not before or before.size == 1 then
         found[label] = { size = size, operand = i }
      elseif size ~= 1 and size ~= before.size then
         check.fail(name, '%s must have one size (got %.0f in operand %d [%s] and %.0f in operand %d [%s])',
            equation.label(label), before.size, before.operand, geometry.shape(tensors[before.operand].tensor), size, i,
            geometry.shape(tensors[i].tensor))
      end
   end
end

-- An operand without its dimensions of size 1: its labels, and for each the dimensions, from 0, that have it; more than
-- one of them are a diagonal.
local function reduced(labels, sizes)
   local list, dims, at = {}, {}, {}
   for d, label in ipairs(labels) do
      if sizes[d] ~= 1 then
         if not at[label] then
            list[#list + 1], at[label] = label, #list + 1
            dims[#list] = {}
         end
         insert(dims[at[label]], d - 1)
      end
   end
   return { labels = list, dims = dims }
end

local function positions(labels)
   local at = {}
   for k, label in ipairs(labels) do at[label] = k end
   return at
end

-- Moves labels that nothing else has behind the others, where they are summed up.
local function split_sums(operands, output)
   local counts = {}
   for _, operand in ipairs(operands) do
      for _, label in ipairs(operand.labels) do counts[label] = (counts[label] or 0) + 1 end
   end
   local wanted = positions(output)
   for _, operand in ipairs(operands) do
      local kept, dims, last, last_dims = {}, {}, {}, {}
      for k, label in ipairs(operand.labels) do
         local stays = wanted[label] or counts[label] > 1
         insert(stays and kept or last, label)
         insert(stays and dims or last_dims, operand.dims[k])
      end
      operand.labels, operand.summed = kept, #last
      for k, label in ipairs(last) do
         insert(dims, last_dims[k])
         kept[#kept + 1] = label
      end
      operand.dims = dims
   end
end

-- The labels of an operand that are left when sums are done.
local function remaining(operand)
   local list = {}
   for k = 1, #operand.labels - operand.summed do list[k] = operand.labels[k] end
   return list
end

-- The contraction of two operands: for each label its size and its places in both and in the result, 0 where it is not
-- there, by what becomes of it.
local function step(a, b, result, sizes, pair)
   local in_a, in_b, in_c = positions(a), positions(b), positions(result)
   local made = { pair[1], pair[2], batch = {}, left = {}, right = {}, inner = {}, all = {}, sizes = {} }
   local function add(label)
      local entry = { n = sizes[label], a = in_a[label] or 0, b = in_b[label] or 0, c = in_c[label] or 0 }
      local kind = entry.c == 0 and 'inner' or entry.a == 0 and 'right' or entry.b == 0 and 'left' or 'batch'
      insert(made[kind], entry)
      if entry.c > 0 then made.all[entry.c], made.sizes[entry.c] = entry, entry.n end
   end
   for _, label in ipairs(a) do add(label) end
   for _, label in ipairs(b) do
      if not in_a[label] then add(label) end
   end
   return made
end

-- Batches first, then the rows of the one and the columns of the other: as products of matrices come out.
local function sorted_result(a, b, kept)
   local in_a, in_b, list = positions(a), positions(b), {}
   for _, wanted in ipairs { 'batch', 'left', 'right' } do
      for _, label in ipairs(kept) do
         if wanted == (not in_b[label] and 'left' or not in_a[label] and 'right' or 'batch') then
            list[#list + 1] = label
         end
      end
   end
   return list
end

local function steps(operands, output, sizes)
   local left, list = {}, {}
   for i, operand in ipairs(operands) do left[i] = remaining(operand) end
   local path = order.path(left, output, sizes)
   for k, pair in ipairs(path) do
      local a, b = left[pair[1]], left[pair[2]]
      local result = k == #path and output or sorted_result(a, b, order.kept(left, pair[1], pair[2], output))
      list[k] = step(a, b, result, sizes, pair)
      remove(left, pair[2])
      remove(left, pair[1])
      insert(left, result)
   end
   return list
end

-- Makes a plan: `operands` is a list of { tensor = t } and { number = v }. Its fields are
--    sizes     of the result, {} for a number
--    places    for each dimension of the result its label among those of more than one element, 0 for size 1
--    is_zero   true when there is nothing to add up, and is_empty when the result has no elements either
--    terms     at most how many products are summed up to an element of the result or on the way to it
--    has_sums  true when a step sums up products
--    operands  { dims, summed, labels } for each operand: see `reduced` and `split_sums`
--    steps     see `step`
--    order     without steps: for each label of the result its place in the operand
function plan.make(name, text, operands)
   local terms, wanted = equation.parse(name, text)
   if #terms ~= #operands then
      check.fail(name, "%d operand%s expected by '%s' (got %d)", #terms, #terms == 1 and '' or 's', text, #operands)
   end
   local all, own, found = {}, {}, {}
   for i, operand in ipairs(operands) do
      all[i], own[i] = labels_of(name, i, terms[i], operand)
      agree(name, i, all[i], own[i], operands, found)
   end
   local made = { sizes = {}, places = {}, operands = {}, is_zero = false, is_empty = false, has_sums = false,
      terms = 1 }
   local output, sizes = {}, {}
   for d, label in ipairs(equation.output(name, text, wanted, all)) do
      local size = found[label].size
      made.sizes[d], made.places[d] = size, 0
      made.is_empty = made.is_empty or size == 0
      if size > 1 then
         output[#output + 1] = label
         made.places[d] = #output
      end
   end
   for i, labels in ipairs(all) do made.operands[i] = reduced(labels, own[i]) end
   for label, entry in pairs(found) do
      sizes[label] = entry.size
      made.is_zero, made.terms = made.is_zero or entry.size == 0, made.terms * entry.size
   end
   if made.is_zero then return made end
   split_sums(made.operands, output)
   if #operands == 1 then
      local at = positions(made.operands[1].labels)
      made.steps, made.order = {}, {}
      for k, label in ipairs(output) do made.order[k] = at[label] end
   else
      made.steps = steps(made.operands, output, sizes)
      for _, one in ipairs(made.steps) do made.has_sums = made.has_sums or #one.inner > 0 end
   end
   return made
end

return plan
