-- The foundation of kernels of one element type. See kernel.lua for its use in modules.
-- See docs/decisions/0018-nn-kernels.md.
--
--    k.T, k.TYPE, k.SIZE                the row of the type, 'torch.DoubleTensor', bytes of an element
--    k.is(x)                            whether x is a tensor of the type
--    k.ptr(t)                           pointer to the first element; nil for tensors that never had memory
--    k.as_contiguous(t)                 t if it is contiguous in row-major order, else a contiguous copy
--    k.make_contiguous(t)               t itself, which is contiguous until the end of the call
--    k.contiguous(t), k.numel(t)        whether t is contiguous; its number of elements
--    k.same_size(a, b), k.shares(a, b)  equal sizes; the same memory
--    k.resized(t, a, b, c, d)           t resized to up to four sizes, contiguous; a new tensor for nil
--    k.resize_as(t, x)                  t resized to the sizes of x, contiguous
--    k.new(a, b, c, d)                  a new tensor
--    k.keep_alive(...)                  at the end of a kernel: keeps tensors alive until here
--    k.buffer(n)                        memory for n elements that the caller keeps; a C array
--    k.copy(to, from, bytes), k.fill(to, bytes)          memcpy; clears bytes
--    k.gemv(ta, m, n, alpha, a, lda, x, beta, y)         y = beta y + alpha op(a) x, for a[m x n]
--    k.ger(m, n, alpha, x, y, a)        a[m x n] = a + alpha x y'
--    k.axpy(n, alpha, x, y)             y = y + alpha x
--    k.add_rows(m, n, alpha, a, c)      c[n] = c + alpha times the sum of the rows of a[m x n]
--    k.set_rows(m, n, row, c)           each row of c[m x n] = row
--    k.product(c, beta, alpha, ta, a, tb, b)             c = beta c + alpha op(a) op(b) for contiguous matrices
--    k.map(text)                        element-wise work as a program: f(x, y, w, z, count, v, u), see `map` below
--    k.total(text)                      the sum of such a program's elements: f(x, y, w, count, v, u)
--    k.row_map(text, broadcast), k.column_sums(text, broadcast), k.row_sums(text)
--                                       such programs over rows, as in row_programs.lua
--    k.getter()                         f(pointer, i): an element as a Lua number. Reading pointer[i] is not safe:
--                                       the bits of a NaN may be another value, see torch/loops/element.lua

return function(T)

local type = type
local concat, find, gmatch = table.concat, string.find, string.gmatch
local ffi = require 'ffi'
local buffers, calls = require 'torch.memory.buffers', require 'nn.class.calls'
local device_buffers, element = require 'torch.memory.device_buffers', require 'torch.loops.element'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local fused, row_programs = require 'torch.kernels.elementwise.fused', require 'torch.kernels.elementwise.row_programs'
local kernels, template = require 'torch.native.kernels', require 'torch.jit.template'
local describe, on_host, read_on_host = errors.describe, device_buffers.on_host, device_buffers.read_on_host
local copy, fill, istype = ffi.copy, ffi.fill, ffi.istype
local contiguous, numel, same_size = geometry.contiguous, geometry.numel, geometry.same_size
local tensor_ct, SIZE = T.tensor_ct, T.size

local k = { T = T, TYPE = T.tensor_name, SIZE = SIZE }

function k.is(x) return istype(tensor_ct, x) end

local function ptr(t)
   local header = t._memory
   if header == nil then return nil end
   return header._data + t._offset
end
if T.base then
   -- nn's kernels run on the host, see memory/device_buffers.lua.
   local address = ptr
   function ptr(t)
      on_host(t)
      return address(t)
   end
end
k.ptr = ptr

function k.as_contiguous(t)
   if contiguous(t) then return t end
   if T.base then read_on_host(t) end
   return T.clone(t)
end

k.contiguous, k.numel, k.same_size, k.shares = contiguous, numel, same_size, T.shares
k.keep_alive, k.copy, k.fill = buffers.keep_alive, copy, fill

function k.getter() return element.getter(T) end

-- Gives t row-major memory for the rest of the call.
local function reallocate(t)
   calls.restore_later(T, t, T.alias(t))
   T.set_tensor(t, T.new_like(t))
   return t
end

function k.make_contiguous(t)
   if contiguous(t) then return t end
   local elements = T.clone(t)
   return T.set_tensor(reallocate(t), elements)
end

-- Buffers of a module have its type, unless a program replaced them.
local function wrong_type(t)
   errors.raise('output and gradInput must be of type %s, as the module is (got %s)', T.tensor_name, describe(t))
end

local function is_of(t, a, b, c, d)
   local size = t._size
   return t._dim == (d and 4 or c and 3 or b and 2 or 1) and size[0] == a and (not b or size[1] == b) and
      (not c or size[2] == c) and (not d or size[3] == d)
end

function k.resized(t, a, b, c, d)
   if type(t) ~= 'nil' then
      if not istype(tensor_ct, t) then wrong_type(t) end
      if not is_of(t, a, b, c, d) then t = T.resized(calls.resizable(t), a, b, c, d) end
   else
      t = T.resized(nil, a, b, c, d)
   end
   if contiguous(t) then return t end
   return reallocate(t)
end

function k.resize_as(t, x)
   if not istype(tensor_ct, t) then wrong_type(t) end
   if not same_size(t, x) then t = T.resize_as(calls.resizable(t), x) end
   if contiguous(t) then return t end
   return reallocate(t)
end

function k.new(a, b, c, d) return k.resized(nil, a, b, c, d) end

local array_ct = ffi.typeof(T.c .. '[?]')
function k.buffer(n) return array_ct(n) end

-- Products: row-major operands.
local vectors = kernels 'linalg/vector_products'
local gemv, ger = vectors['t7_gemv_' .. T.name], vectors['t7_ger_' .. T.name]

function k.gemv(ta, m, n, alpha, a, lda, x, beta, y)
   if ta then return gemv(n, m, alpha, a, 1, lda, x, beta, y, 1) end
   gemv(m, n, alpha, a, lda, 1, x, beta, y, 1)
end

function k.ger(m, n, alpha, x, y, a) ger(m, n, alpha, x, 1, y, 1, a, n) end

k.axpy = vectors['t7_axpy_' .. T.name]

-- Products of contiguous matrices, on all cores: c = beta c + alpha op(a) op(b).
local parallel = kernels 'linalg/gemm' ['t7_gemm_parallel_' .. T.name]

function k.product(c, beta, alpha, ta, a, tb, b)
   local m, n, inner = c._size[0], c._size[1], ta and a._size[0] or a._size[1]
   local a_row, a_inner, b_inner, b_column = a._size[1], 1, b._size[1], 1
   if ta then a_row, a_inner = 1, a_row end
   if tb then b_inner, b_column = 1, b_inner end
   parallel(m, n, inner, alpha, k.ptr(a), a_row, a_inner, k.ptr(b), b_inner, b_column, beta, k.ptr(c), n)
   k.keep_alive(a, b, c)
end

-- Loops, sums and element-wise programs.
local sums, capacity = k.buffer(1), 1

function k.add_rows(m, n, alpha, a, c)
   if alpha == 1 then
      for i = 0, m - 1 do k.axpy(n, 1, a + i * n, c) end
      return
   end
   if n > capacity then sums, capacity = k.buffer(n), n end
   fill(sums, n * SIZE)
   for i = 0, m - 1 do k.axpy(n, 1, a + i * n, sums) end
   k.axpy(n, alpha, sums, c)
end

function k.set_rows(m, n, row, c)
   local bytes = n * SIZE
   for i = 0, m - 1 do copy(c + i * n, row, bytes) end
end

-- Compiles a program, whose language is explained at the top of fused.lua: 'z = (1 - w * w) * y'. Registers x, y and w
-- are contiguous operands; z is the result, which may be one of them; v and u are numbers of the call. The function
-- takes pointers, the number of elements, v and u: f(x, y, w, z, count, v, u), with nil for operands that the program
-- does not use.
local map_source = [[
return function(x, y, w, z, count, v, u)
   $set
   run($given, z, $size, count)
end]]

-- The operands and numbers that a program uses: lists of registers, buffers by name, and source that assigns them.
local function operands_of(text)
   local inputs, scalars, named, set = {}, {}, {}, {}
   for register in gmatch(text, '%f[%w_]([%a])%f[^%w_]') do named[register] = true end
   for register in gmatch('xyw', '.') do
      if named[register] then inputs[#inputs + 1] = register end
   end
   for register in gmatch('vu', '.') do
      if named[register] then
         scalars[register] = ffi.new(T.c .. '[1]')
         set[#set + 1] = register .. '_at[0] = ' .. register
      end
   end
   return inputs, scalars, concat(set, '; ')
end

function k.map(text)
   local inputs, scalars, set = operands_of(text)
   local given = {}
   for i, register in ipairs(inputs) do given[i] = register .. ', ' .. SIZE end
   return template.compile('nn', map_source, { set = set, given = concat(given, ', '), size = SIZE },
      { run = fused.make('nn', T, T, text, inputs, scalars), v_at = scalars.v, u_at = scalars.u })
end

local function rows_of(make, text)
   local inputs = {}
   for register in gmatch('xywrvuts', '.') do
      if find(text, '%f[%w_]' .. register .. '%f[^%w_]') then inputs[#inputs + 1] = register end
   end
   return make('nn', T, text, inputs)
end

function k.row_map(text) return rows_of(row_programs.map, text) end
function k.column_sums(text) return rows_of(row_programs.totals, text) end
function k.row_sums(text) return rows_of(row_programs.sums, text) end

-- The sum of a program's results over all elements: f(x, y, w, count, v, u).
local total_source = [[
return function(x, y, w, count, v, u)
   $set
   return (run($given, count))
end]]

function k.total(text)
   local inputs, scalars, set = operands_of(text)
   return template.compile('nn', total_source, { set = set, given = concat(inputs, ', ') },
      { run = fused.total('nn', T, text, inputs, scalars), v_at = scalars.v, u_at = scalars.u })
end

return k

end
