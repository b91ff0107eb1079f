-- Plans of einsum, carried out for one element type. An operand on its way is a tensor, read for its memory and offset,
-- and a list of the strides of its labels. Specialised per type.

return function(T)

local ipairs, require = ipairs, require
local remove = table.remove
local geometry, memory = require 'torch.core.geometry', require 'torch.memory.blocks'
local elementwise, reduce = require 'torch.kernels.elementwise', require 'torch.kernels.reduce'
local loops, types = require 'torch.linalg.einsum.entries', require 'torch.core.types'
local batches = require('torch.core.loader').specialise('torch.linalg.einsum.batches', T)
local blas = types.blas(T)
local alias, copy_from, new_contiguous = T.alias, T.copy_from, T.new_contiguous
local set_dim = geometry.set_dim
local column, is_run, joined = loops.column, loops.is_run, loops.joined
local merged, size_of, sorted = loops.merged, loops.count, loops.sorted

local run = {}

local add_along = reduce.along('einsum', T, { ufunc = 'add', sign = '+' })
local multiply = elementwise.map('einsum', T, { 'z = multiply x y' }, 'r t t')

-- A view of t with these sizes and strides; with no dimension it has one element.
local function view(t, sizes, strides)
   local v = alias(t)
   set_dim(v, #sizes > 0 and #sizes or 1)
   v._size[0], v._stride[0] = 1, 1
   for d, size in ipairs(sizes) do v._size[d - 1], v._stride[d - 1] = size, strides[d] end
   return v
end

local function new(sizes) return new_contiguous(#sizes > 0 and sizes or { 1 }) end

local function strides_of(t, count)
   local list = {}
   for d = 1, count do list[d] = t._stride[d - 1] end
   return list
end

-- The sums of the rows of a contiguous tensor, whose other dimensions they keep: products with ones are faster than
-- sums. Of longer rows the ones would take much memory.
local MOST_ONES = 4096

local function row_sums(t, blocks)
   local sizes, strides, n, count = {}, {}, blocks[#blocks].n, 1
   for d = #blocks - 1, 1, -1 do
      sizes[d], strides[d], count = blocks[d].n, count, count * blocks[d].n
   end
   local r = T.new_vector(count)
   blas.gemv(r, 0, 1, view(t, { count, n }, { n, 1 }), T.fill(T.new_vector(n), 1))
   return view(r, sizes, strides)
end

-- Sums up the last labels of an operand; memory is read in its order. Returns the tensor and the strides of the rest.
local function summed(t, sizes, strides, count)
   local kept, entries = #sizes - count, {}
   for k, n in ipairs(sizes) do
      entries[k] = { n = n, a = strides[k], b = 0, c = 0, label = k, kind = k <= kept and 'kept' or 'sum' }
   end
   sorted(entries, 'a')
   local blocks = merged(entries)
   local v = view(t, column(blocks, 'n'), column(blocks, 'a'))
   local first = #blocks
   if not T.integer and blocks[first].kind == 'sum' and blocks[first].n <= MOST_ONES and geometry.contiguous(v) then
      v, first = row_sums(v, blocks), first - 1
   end
   for d = first, 1, -1 do
      if blocks[d].kind == 'sum' then v = add_along(nil, v, d) end
   end
   local left, stride = {}, 1
   for k = #entries, 1, -1 do
      local entry = entries[k]
      if entry.kind == 'kept' then
         left[entry.label] = stride
         stride = stride * entry.n
      end
   end
   return v, left
end

-- The entries of a step with the strides of operands a, b and c in place of positions.
local function with_strides(list, a, b, c)
   local entries = {}
   for k, entry in ipairs(list) do
      entries[k] = { n = entry.n, a = a[entry.a] or 0, b = b[entry.b] or 0, c = c[entry.c] or 0 }
   end
   return entries
end

-- A contiguous copy of what entries say of t; they get its strides.
local function packed(t, key, entries)
   local copy = new(column(entries, 'n'))
   copy_from(copy, T, view(t, column(entries, 'n'), column(entries, key)))
   for d, entry in ipairs(entries) do entry[key] = copy._stride[d - 1] end
   return copy
end

-- Fewer multiplications than this in a product of matrices are not worth a call of their own.
local LEAST_WORK = 512

-- The entry to be rows or columns of matrices of operand `key`, the largest that BLAS can read beside `inner`; others
-- are added to `around`.
local function widest(entries, key, inner, around)
   local best, readable = { n = 1, a = 1, b = 1, c = 1 }, false
   for _, entry in ipairs(entries) do
      local is_readable = inner[key] == 1 or entry[key] == 1
      if is_readable and not readable or is_readable == readable and entry.n > best.n then
         best, readable = entry, is_readable
      end
   end
   for _, entry in ipairs(entries) do
      if entry ~= best then around[#around + 1] = entry end
   end
   return best
end

-- c = a b, element by element.
local function products(step, a, a_strides, b, b_strides, c, c_strides)
   local entries = merged(sorted(with_strides(step.all, a_strides, b_strides, c_strides), 'c'))
   local sizes = column(entries, 'n')
   multiply(view(c, sizes, column(entries, 'c')), view(a, sizes, column(entries, 'a')),
      view(b, sizes, column(entries, 'b')))
end

-- Sums of so many products are worth a call each.
local LONG = 32

-- Tells whether a step is one sum for each element of a batch, of few products or of some that lie far apart.
local function is_spread(batch, left, right, inner)
   return #left == 0 and #right == 0 and #batch > 0
      and (size_of(inner) < LONG or inner[#inner].a > batch[#batch].a)
end

-- c = the sums of the products of a and b, which are put in memory in the order of a.
local function spread(batch, inner, a, b, c)
   local entries = joined(batch, inner)
   for label, entry in ipairs(entries) do entry.label = label end
   local sizes, strides = column(entries, 'n'), {}
   sorted(entries, 'a')
   local p = new(column(entries, 'n'))
   for d, entry in ipairs(entries) do entry.c, strides[entry.label] = p._stride[d - 1], p._stride[d - 1] end
   local blocks = merged(entries)
   local counts = column(blocks, 'n')
   multiply(view(p, counts, column(blocks, 'c')), view(a, counts, column(blocks, 'a')),
      view(b, counts, column(blocks, 'b')))
   local sums, left = summed(p, sizes, strides, #inner)
   copy_from(c, T, view(sums, column(batch, 'n'), left))
end

-- The two loops of a sum of all products of two matrices that are no run in memory: over rows and within them.
local function rows_of(batch, left, right, inner)
   local blocks = #batch + #left + #right == 0 and merged(inner) or {}
   if #blocks ~= 2 then return nil end
   local outer, row = blocks[1], blocks[2]
   if outer.a + outer.b < row.a + row.b then outer, row = row, outer end
   if row.n < LONG then outer, row = row, outer end
   if row.n >= LONG then return outer, row end
end

-- c = the sum of the products of two matrices, row by row: a copy of one in the order of the other would cost more.
local function rows_summed(outer, inner, a, b, c)
   local p = T.new_vector(outer.n)
   batches.multiply(view(p, { outer.n, 1, 1 }, { 1, 1, 1 }), view(a, { outer.n, 1, inner.n }, { outer.a, 1, inner.a }),
      view(b, { outer.n, inner.n, 1 }, { outer.b, inner.b, 1 }))
   local sum = summed(p, { outer.n }, { 1 }, 1)
   copy_from(c, T, view(sum, {}, {}))
end

-- c = a b: rows are the labels of a alone, columns those of b alone, and what neither of them nor the sum takes is
-- gone through one by one.
local function matrices(step, a, a_strides, b, b_strides, c, c_strides)
   local function entries_of(kind) return with_strides(step[kind], a_strides, b_strides, c_strides) end
   local batch, left, right = entries_of 'batch', sorted(entries_of 'left', 'c'), sorted(entries_of 'right', 'c')
   local inner = sorted(entries_of 'inner', 'a')
   if is_spread(sorted(batch, 'a'), left, right, inner) then
      return spread(batch, inner, a, b, view(c, column(batch, 'n'), column(batch, 'c')))
   end
   sorted(batch, 'c')
   local outer, row = rows_of(batch, left, right, inner)
   if row then return rows_summed(outer, row, a, b, view(c, {}, {})) end
   if not is_run(inner, 'a') then sorted(inner, 'b') end
   if not is_run(inner, 'a') then a = packed(a, 'a', joined(batch, joined(left, inner))) end
   if not is_run(inner, 'b') then b = packed(b, 'b', joined(batch, joined(inner, right))) end
   if size_of(left) * size_of(right) * size_of(inner) < LEAST_WORK then
      -- Loops would cost more than copies.
      if not is_run(left, 'a') then a = packed(a, 'a', joined(batch, joined(left, inner))) end
      if not is_run(right, 'b') then b = packed(b, 'b', joined(batch, joined(inner, right))) end
   end
   local around = merged(batch)
   inner = merged(inner)[1] or { n = 1, a = 1, b = 1, c = 0 }
   local rows, columns = widest(merged(left), 'a', inner, around), widest(merged(right), 'b', inner, around)
   sorted(around, 'n')
   local last = around[1] or { n = 1, a = 0, b = 0, c = 0 }
   local x = view(a, { last.n, rows.n, inner.n }, { last.a, rows.a, inner.a })
   local y = view(b, { last.n, inner.n, columns.n }, { last.b, inner.b, columns.b })
   local z = view(c, { last.n, rows.n, columns.n }, { last.c, rows.c, columns.c })
   local function each(k)
      local loop = around[k]
      if not loop then return batches.multiply(z, x, y) end
      for _ = 1, loop.n do
         each(k + 1)
         x._offset, y._offset, z._offset = x._offset + loop.a, y._offset + loop.b, z._offset + loop.c
      end
      x._offset, y._offset = x._offset - loop.n * loop.a, y._offset - loop.n * loop.b
      z._offset = z._offset - loop.n * loop.c
   end
   each(2)
   memory.alive(a, b, c)
end

-- Tells whether a step without sums is one for BLAS: of labels of either operand alone, in short rows of the result.
local SHORT = 512

local function is_outer(step)
   return not T.integer and #step.left > 0 and #step.right > 0 and step.sizes[#step.sizes] < SHORT
end

-- Returns a tensor with all dimensions of the result, `r` where it is given, and the strides of the labels in it.
local function result_of(plan, r)
   local strides = {}
   r = r or new(plan.sizes)
   for d, place in ipairs(plan.places) do
      if place > 0 then strides[place] = r._stride[d - 1] end
   end
   return r, strides
end

-- The operand of a plan without steps: a view of what is left of it, with all dimensions of the result.
local function rearranged(plan, t, strides)
   local list = {}
   for d, place in ipairs(plan.places) do list[d] = place > 0 and strides[plan.order[place]] or 1 end
   return view(t, plan.sizes, list)
end

-- Carries out a plan for tensors of the type, numbers being tensors of one element. The result is contiguous and new;
-- only of one operand of which nothing is summed it is a view. Of several operands it is `target` where that is given,
-- which has its sizes and shares no memory with them.
function run.execute(plan, tensors, target)
   local strides = {}
   for i, operand in ipairs(plan.operands) do
      local t, sizes, list = tensors[i], {}, {}
      for k, dims in ipairs(operand.dims) do
         sizes[k], list[k] = t._size[dims[1]], 0
         for _, d in ipairs(dims) do list[k] = list[k] + t._stride[d] end
      end
      if operand.summed > 0 then t, list = summed(t, sizes, list, operand.summed) end
      tensors[i], strides[i] = t, list
   end
   if #tensors == 1 then
      local v = rearranged(plan, tensors[1], strides[1])
      if plan.operands[1].summed == 0 then return v end
      if not geometry.contiguous(v) then return (T.clone(v)) end
      geometry.set_contiguous(v)
      return v
   end
   for k, step in ipairs(plan.steps) do
      local r, r_strides
      if k < #plan.steps then
         r = new(step.sizes)
         r_strides = strides_of(r, #step.sizes)
      else
         r, r_strides = result_of(plan, target)
      end
      local i, j = step[1], step[2]
      local work = (#step.inner > 0 or is_outer(step)) and matrices or products
      work(step, tensors[i], strides[i], tensors[j], strides[j], r, r_strides)
      for _, list in ipairs { tensors, strides } do
         remove(list, j)
         remove(list, i)
      end
      tensors[#tensors + 1], strides[#strides + 1] = r, r_strides
   end
   return tensors[1]
end

return run

end
