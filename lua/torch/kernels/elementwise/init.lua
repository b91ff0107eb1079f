-- Element-wise kernels. A row gives a program (see fused.lua); the signature gives its parameters in order: tensors x,
-- y, w and numbers v, u. Operands match by their number of elements; the result has the sizes of the first tensor.

local concat, format, ipairs, min, rawequal = table.concat, string.format, ipairs, math.min, rawequal
local broadcast, errors = require 'torch.tensor.broadcast', require 'torch.base.errors'
local signatures, geometry = require 'torch.base.signatures', require 'torch.base.geometry'
local element, fused = require 'torch.loops.element', require 'torch.kernels.elementwise.fused'
local lazy_table, native = require 'torch.jit.lazy_table', require 'torch.native.native'
local types = require 'torch.base.types'
local template, strided = require 'torch.jit.template', require 'torch.kernels.elementwise.strided'
local shape = geometry.shape

local elementwise = {}

-- `into` is the result if it is self of a method, `...` are all operands.
function elementwise.mismatch(name, t, u, into, ...)
   errors.raise('%s: inconsistent tensor sizes: [%s] of %.0f elements and [%s] of %.0f%s', name, shape(t),
      geometry.numel(t), shape(u), geometry.numel(u), broadcast.hint(into, ...))
end

-- The code of a kernel, made for each operation and type so that it compiles separately. Few elements of one layout
-- take few comparisons. Memory that may be aliased has no layout: operands share the result's only if they are the
-- same.
local source = [[
local SMALL, new_small = $SMALL, R.new_small
$specials
local contiguous, numel, rawequal, strided = lib.contiguous, lib.count, rawequal, lib.strided
local same_size, overlap, mismatch, no_zero = lib.same_size, lib.overlap, lib.mismatch, lib.no_zero
local resize_as, new_like, shares, alias, clone = R.resize_as, R.new_like, R.shares, T.alias, T.clone

local function general(r, $parameters)
   local n = numel(x)
$counts
   if not r then
      r = new_like(x)
   elseif not rawequal(r, x) then
$aliases
      resize_as(r, x)
   end
$overlaps
   if n == 0 then return r end
$scalars
$zeros
   local run = f1
$choices
   if $contiguous then
      run($pointers, r._memory._data + r._offset, $R_size, n)
      return r
   end
   return (strided[run](r, T, $tensors))
end

return function(r, $parameters)
   local layout = x._layout
   if layout > 0$same_layouts and x._count <= SMALL then
      if not r then
         r = new_small(x, layout)
      elseif r._layout ~= layout$aliased then
         return (general(r, $parameters))
      end
$scalars
$zeros
      local run = f1
$small_choices
      run($pointers, r._memory._data + r._offset, $R_size, x._count)
      return r
   end
   return (general(r, $parameters))
end]]

local differs = lazy_table(function(T) return elementwise.compare('ne', T, { 'x ~= v' }, '[B] t v') end)

-- Rejects zeros as divisors: integers cannot represent infinity.
local function no_zero(name, T, divisor)
   local zero = divisor
   if types.of_tensor(divisor) then zero = divisor._dim > 0 and differs[T](nil, divisor, 0):min() or 1 end
   if zero == 0 then errors.raise('%s: division by zero in a %s', name, T.tensor_name) end
end

local lib = {
   contiguous = geometry.contiguous, count = geometry.numel, same_size = geometry.same_size,
   overlap = geometry.overlap, mismatch = elementwise.mismatch, no_zero = no_zero,
   strided = strided,
}

local tensor_names, number_names = { 'x', 'y', 'w' }, { 'v', 'u' }

local function registers(signature)
   local parameters, tensors, numbers = {}, {}, {}
   for i, slot in ipairs(signatures.parse(signature)) do
      if i > 1 then
         local name
         if slot.letter == 't' then
            name = tensor_names[#tensors + 1]
            tensors[#tensors + 1] = name
         else
            name = number_names[#numbers + 1]
            numbers[#numbers + 1] = name
         end
         parameters[#parameters + 1] = name
      end
   end
   return parameters, tensors, numbers
end

-- The program in `options` for a type: { text, integer = for integer types, Double = for a type }.
local function program_for(T, options)
   return options[T.name] or T.integer and options.integer or options[1]
end

-- Adds the choice of a program for special numbers to the parts of a kernel: by n for any number of elements, by
-- x._count for few. Special programs are made when they are first needed.
local function add_special(parts, special)
   local specials, choices, small_choices = {}, {}, {}
   for i = 1, #special, 2 do
      specials[#specials + 1] = format('local s%d', i)
      local choice = [[
   %s %s then
      s%d = s%d or make(%d)
      run = s%d]]
      local word = i == 1 and 'if' or 'elseif'
      choices[#choices + 1] = format(choice, word, special[i], i, i, i + 1, i)
      local condition = string.gsub(special[i], '%f[%w_]n%f[^%w_]', 'x._count')
      small_choices[#small_choices + 1] = format(choice, word, condition, i, i, i + 1, i)
   end
   if #choices > 0 then choices[#choices + 1], small_choices[#small_choices + 1] = '   end', '   end' end
   parts.specials, parts.choices = concat(specials, '\n'), concat(choices, '\n')
   parts.small_choices = concat(small_choices, '\n')
end

-- Adds what a kernel does with each of its tensors: compares numbers of elements, copies what the result would
-- overwrite, and takes pointers. `into` is the result if it is self of a method.
local function add_tensors(parts, R, T, tensors, into)
   local counts, aliases, overlaps, contiguous, pointers = {}, {}, {}, { 'contiguous(r)' }, {}
   local same_layouts, aliased = {}, {}
   local list = concat(tensors, ', ')
   for i, x in ipairs(tensors) do
      if i > 1 then
         same_layouts[#same_layouts + 1] = format(' and %s._layout == layout', x)
         counts[#counts + 1] = format('   if n ~= numel(%s) then mismatch(name, x, %s, %s, %s) end', x, x, into, list)
         if R == T then
            local keep = '      if rawequal(r, %s) and not same_size(r, x) then %s = alias(%s) end'
            aliases[#aliases + 1] = format(keep, x, x, x)
         end
      end
      if R == T then
         aliased[#aliased + 1] = format(' or r._memory == %s._memory and r._offset ~= %s._offset', x, x)
         local copy = '   if not rawequal(r, %s) and n > 0 and shares(r, %s) and overlap(r, %s) then\n'
            .. '      %s = clone(%s)\n   end'
         overlaps[#overlaps + 1] = format(copy, x, x, x, x, x)
      end
      contiguous[#contiguous + 1] = format('contiguous(%s)', x)
      pointers[#pointers + 1] = format('%s._memory._data + %s._offset, %d', x, x, T.size)
   end
   parts.tensors, parts.counts = list, concat(counts, '\n')
   parts.aliases, parts.overlaps = concat(aliases, '\n'), concat(overlaps, '\n')
   parts.contiguous, parts.pointers = concat(contiguous, ' and '), concat(pointers, ', ')
   parts.same_layouts, parts.aliased = concat(same_layouts), concat(aliased)
end

-- Adds the conversion of numbers, and the check of the one that `options.nonzero` names, for integers.
local function add_numbers(parts, T, numbers, options)
   local scalars = {}
   for i, v in ipairs(numbers) do
      scalars[i] = format('   set(%s_buffer, 0, %s)', v, i == 1 and not T.integer and options.scalar or v)
   end
   parts.scalars, parts.zeros = concat(scalars, '\n'), ''
   local divisor = T.integer and options.nonzero
   if divisor then
      local is_number = divisor == numbers[1] or divisor == numbers[2]
      parts.zeros = format('   no_zero(name, T, %s)', is_number and divisor .. '_buffer[0]' or divisor)
   end
end

-- The kernel of a program in the type T, with a result of type R. options: the text, see program_for; `special` = {
-- condition, text, ... } are programs for special numbers, v_buffer[0] and u_buffer[0] as converted; `scalar` is an
-- expression of v that replaces the number; `nonzero` names the register that must not be 0 for integers.
local function build(name, R, T, options, signature, call)
   local parameters, tensors, numbers = registers(signature)
   local v_buffer, u_buffer = native.buffer(T.c, 1), native.buffer(T.c, 1)
   local buffers = { v = numbers[1] and v_buffer, u = numbers[2] and u_buffer }
   local special = options.special or {}
   local function make(k) return fused.make(name, R, T, special[k], tensors, buffers) end
   local into = call == 'method' and signatures.parse(signature)[1].letter == 'r' and 'rawequal(r, x) and r' or 'nil'
   local parts = { parameters = concat(parameters, ', '), R_size = R.size, SMALL = min(R.SMALL, T.SMALL) }
   add_special(parts, special)
   add_tensors(parts, R, T, tensors, into)
   add_numbers(parts, T, numbers, options)
   local run = fused.make(name, R, T, program_for(T, options), tensors, buffers)
   return template.compile(name, source, parts, { R = R, T = T, lib = lib, name = name, set = element.setter(T),
      v_buffer = v_buffer, u_buffer = u_buffer, f1 = run, make = make, rawequal = rawequal })
end

function elementwise.map(name, T, options, signature, call)
   return build(name, T, T, options, signature, call)
end

-- Takes numbers instead of tensors, and computes in the type.
function elementwise.numbers(name, T, options, signature)
   local inputs = {}
   for i = 1, #signatures.parse(signature) do inputs[i] = tensor_names[i] end
   if T.name ~= 'Float' then return fused.number(name, T, program_for(T, options), inputs) end
   -- NumPy's Float loops are occasionally off by one unit in the last place; C's functions are not.
   local Double, rounded = types.by_name.Double, element.rounder(T)
   local run = fused.number(name, Double, program_for(Double, options), inputs)
   return function(a, b, c)
      return rounded(run(rounded(a), b and rounded(b), c and rounded(c)))
   end
end

-- Comparisons: 0 or 1, in a ByteTensor; compare_own in a given result of the own type.
function elementwise.compare(name, T, options, signature, call)
   return build(name, types.by_name.Byte, T, { 'z = ' .. options[1] }, signature, call)
end

function elementwise.compare_own(name, T, options, signature, call)
   return build(name, T, T, { 'z = where(' .. options[1] .. ', 1, 0)' }, signature, call)
end

-- Rejects types for which an operation exists in name only.
function elementwise.integers_only(name, T)
   return function() errors.raise('%s: tensors must be of integers (got %s)', name, T.tensor_name) end
end

return elementwise
