-- torch.einsum: sums of products by an equation. Equations, sizes and errors are handled here; NumPy computes.

local check, element = require 'torch.base.check', require 'torch.loops.element'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local host, buffers = require 'torch.native.host', require 'torch.memory.buffers'
local native, types = require 'torch.native.native', require 'torch.base.types'
local finish_trace = require('torch.jit.trace').finish
local equation = require 'torch.linalg.einsum.equation'

local einsum = {}

-- The sizes of a tensor; one without elements has one of size 0.
local function sizes_of(t)
   local list = {}
   for d = 1, math.max(t._dim, 1) do list[d] = t._dim > 0 and t._size[d - 1] or 0 end
   return list
end

-- Notes the size of each label. Sizes of 1 agree with all others, but not within an operand.
local function agree(name, i, labels, sizes, operands, found)
   local own = {}
   for d, label in ipairs(labels) do
      local size, before = sizes[d], found[label]
      if own[label] and own[label] ~= size then
         check.fail(name, '%s must have one size (got %.0f and %.0f in operand %d [%s])', equation.label(label),
            own[label], size, i, geometry.shape(operands[i]))
      end
      own[label] = size
      if not before or before.size == 1 then
         found[label] = { size = size, operand = i }
      elseif size ~= 1 and size ~= before.size then
         check.fail(name, '%s must have one size (got %.0f in operand %d [%s] and %.0f in operand %d [%s])',
            equation.label(label), before.size, before.operand, geometry.shape(operands[before.operand]), size, i,
            geometry.shape(operands[i]))
      end
   end
end

local function labels_of(name, i, term, operand)
   local sizes = type(operand) == 'number' and {} or sizes_of(operand)
   local labels = equation.labels(term, #sizes)
   if not labels then
      local count = #term.head + #term.tail
      check.argument_error(name, 'operand ' .. i, string.format("a tensor of %s%d dimension%s for '%s'",
         term.dots and 'at least ' or '', count, count == 1 and '' or 's', term.text), operand)
   end
   return labels, sizes
end

local MAX_LETTERS = 52

-- Equations for NumPy, which has letters alone: a function from labels and sizes to letters, and to lists of the
-- dimensions, from 0, of each letter. Dimensions of size 1 have none.
local function new_letters(name)
   local letters, count = {}, 0
   return function(labels, sizes)
      local term, dims, at = {}, {}, {}
      for d, label in ipairs(labels) do
         if sizes[d] ~= 1 and not at[label] then
            if not letters[label] then
               if count == MAX_LETTERS then check.fail(name, 'there can be at most %d letters', MAX_LETTERS) end
               letters[label], count = string.char((count < 26 and 97 or 39) + count), count + 1
            end
            table.insert(term, letters[label])
            at[label] = {}
            table.insert(dims, at[label])
         end
         if at[label] then table.insert(at[label], d - 1) end
      end
      return table.concat(term), dims
   end
end

-- Makes a plan for tensors and numbers. Its fields are
--    text      the equation for NumPy
--    dims      the dimensions of the letters of the result, and then of those of each operand: see `new_letters`
--    sizes     of the result, {} for a number
--    view      for the only operand of which nothing is summed, the dimensions of each one of the result
--    is_zero   true where there is nothing to add up, and is_empty where the result has no elements either
local function make_plan(name, text, operands)
   local terms, output = equation.parse(name, text)
   if #terms ~= #operands then
      check.fail(name, "'%s' must have %d operand%s (got %d)", text, #terms, #terms == 1 and '' or 's', #operands)
   end
   local plan, all, inputs, found, letters = { dims = {}, sizes = {} }, {}, {}, {}, new_letters(name)
   for i, operand in ipairs(operands) do
      local labels, sizes = labels_of(name, i, terms[i], operand)
      agree(name, i, labels, sizes, operands, found)
      all[i], inputs[i], plan.dims[i + 1] = labels, letters(labels, sizes)
      for _, size in ipairs(sizes) do plan.is_zero = plan.is_zero or size == 0 end
   end
   local labels = equation.output(name, text, output, all)
   for d, label in ipairs(labels) do
      plan.sizes[d], plan.is_empty = found[label].size, plan.is_empty or found[label].size == 0
   end
   local result
   result, plan.dims[1] = letters(labels, plan.sizes)
   plan.text = table.concat(inputs, ',') .. '->' .. result
   if #operands == 1 and #result == #inputs[1] then
      plan.view = {}
      for d, label in ipairs(labels) do
         plan.view[d] = {}
         for e, own in ipairs(all[1]) do
            if own == label then table.insert(plan.view[d], e - 1) end
         end
      end
   end
   return plan
end

-- Plans by equation and sizes; all are forgotten when there are too many.
local MAX_PLANS = 1000
local kept, kept_count = {}, 0

local function plan_of(name, text, operands)
   local parts = { text }
   for i, operand in ipairs(operands) do
      parts[i + 1] = type(operand) == 'number' and 'number' or geometry.shape(operand)
   end
   local key = table.concat(parts, ';')
   if not kept[key] then
      local plan = make_plan(name, text, operands)
      if kept_count == MAX_PLANS then kept, kept_count = {}, 0 end
      kept[key], kept_count = plan, kept_count + 1
   end
   return kept[key]
end

local function stride_of(t, dims)
   local stride = 0
   for _, d in ipairs(dims) do stride = stride + t._stride[d] end
   return stride
end

-- A view of a tensor that merges some of its dimensions.
local function view(T, t, sizes, dims)
   local v = T.alias(t)
   geometry.set_dim(v, math.max(#sizes, 1))
   v._size[0], v._stride[0] = 1, 1
   for d, size in ipairs(sizes) do v._size[d - 1], v._stride[d - 1] = size, stride_of(t, dims[d]) end
   return v
end

-- Fills a tensor with the sizes of the result, which shares no memory with the operands.
local function fill(T, plan, r, operands)
   local layouts, values = {}, {}
   for i, dims in ipairs(plan.dims) do
      local t = i == 1 and r or operands[i - 1]
      if type(t) == 'number' then
         layouts[i], values[i] = 'number', t
      else
         local steps = {}
         for k, own in ipairs(dims) do steps[k] = string.format('%.0f %.0f', t._size[own[1]], stride_of(t, own)) end
         layouts[i], values[i] = table.concat(steps, ','), native.address_of(buffers.start(t))
      end
   end
   host.einsum(plan.text, T.dtype, table.concat(layouts, ';'), unpack(values))
   buffers.keep_alive(r, operands)
   return r
end

-- The operands as a list of tensors and numbers; a table of them is read once.
local function operands_of(name, T, count, first, ...)
   local given = { first, ... }
   if count == 1 and type(first) == 'table' then
      given, count = {}, 0
      for i, value in ipairs(first) do given[i], count = value, i end
   end
   if count == 0 then check.fail(name, 'there must be operands after the equation (got none)') end
   for i = 1, count do
      if type(given[i]) ~= 'number' then
         check.tensor(name, 'operand ' .. i, given[i], T)
      elseif T.integer then
         given[i] = errors.integer(name, i + 1, given[i])
      end
   end
   return given
end

local function shares(T, r, operands)
   for _, operand in ipairs(operands) do
      if type(operand) ~= 'number' and T.shares(r, operand) then return true end
   end
   return false
end

-- The result: a new tensor, a view of the only operand, or `r` where it can be written directly.
local function compute(T, plan, operands, r)
   if plan.is_empty then return T.new_tensor() end
   local sizes = #plan.sizes > 0 and plan.sizes or { 1 }
   if plan.is_zero then return (T.fill(T.new_contiguous(sizes), 0)) end
   if plan.view and type(operands[1]) ~= 'number' then return view(T, operands[1], plan.sizes, plan.view) end
   local is_free = r and not shares(T, r, operands)
   return fill(T, plan, is_free and T.resize_to(r, sizes) or T.new_contiguous(sizes), operands)
end

-- einsum([result,] equation, tensor, ...) and einsum([result,] equation, list).
function einsum.make(T, _, name)
   local get = element.getter(T)

   local function einsum_into(r, count, text, ...)
      check.kind(name, 'the equation', text, 'string')
      local operands = operands_of(name, T, count - 1, ...)
      local plan = plan_of(name, text, operands)
      local found = compute(T, plan, operands, r)
      if rawequal(found, r) then return r end
      if r then return (T.result(r, T.shares(r, found) and T.clone(found) or found)) end
      if #plan.sizes == 0 then return (get(found._memory._data, found._offset)) end
      return found
   end

   return function(...)
      finish_trace()
      local first = ...
      if types.of_tensor(first) == T then return (einsum_into(first, select('#', ...) - 1, select(2, ...))) end
      return (einsum_into(nil, select('#', ...), ...))
   end
end

return einsum
