-- What kernels of one element type stand on. See kernel.lua for how modules use it.
-- See docs/decisions/0018-nn-kernels.md.
--
--    k.T, k.TYPE, k.SIZE, k.c           the row of the type, 'torch.DoubleTensor', bytes of an element, its C type
--    k.is(x)                            whether x is a tensor of the type
--    k.ptr(t)                           pointer to the first element; nil for tensors that never had memory
--    k.plain(t)                         t if it is contiguous, row by row, else a copy that is
--    k.steady(t)                        the same, to which nobody else writes: it may be looked at before it is read
--    k.own(t), k.bring(t, own)          for results that are read while they grow: t, or a separate tensor if others
--                                       write to t's memory; and the copy from it to t
--    k.contiguous(t), k.count(t)        whether it is; the number of elements
--    k.same_size(a, b), k.shares(a, b)  equal sizes; the same memory
--    k.sized(t, a, b, c, d)             t resized to up to four sizes, contiguous; a new tensor for nil
--    k.like(t, x)                       t resized to the sizes of x, contiguous
--    k.new(a, b, c, d)                  a new tensor
--    k.alive(...)                       at the end of a kernel: keeps tensors alive until here
--    k.buffer(n)                        memory for n elements that the caller keeps; a C array
--    k.copy(to, from, bytes), k.fill(to, bytes)          memcpy; clears bytes
--    k.gemm(ta, tb, m, n, kk, alpha, a, lda, b, ldb, beta, c, ldc)
--                                       c[m x n] = beta c + alpha op(a) op(b), row by row, inner size kk
--    k.gemv(ta, m, n, alpha, a, lda, x, beta, y)         y = beta y + alpha op(a) x, for a[m x n]
--    k.ger(m, n, alpha, x, y, a)        a[m x n] = a + alpha x y'
--    k.axpy(n, alpha, x, y), k.dot(n, x, y)              y = y + alpha x; the sum of products
--    k.add_rows(m, n, alpha, a, c)      c[n] = c + alpha times the sum of the rows of a[m x n]
--    k.set_rows(m, n, row, c)           each row of c[m x n] = row
--    k.product(c, beta, alpha, ta, a, tb, b)             the same for contiguous matrices; large ones on both cores
--    k.loop(ufunc, k.T[, k.T])          a loop of NumPy: f(x, x_step, [y, y_step,] z, z_step, count), steps in bytes
--    k.map(text)                        element-wise work as a program: f(x, y, w, z, count, v, u), see `map` below
--    k.total(text)                      the sum of such a program's elements: f(x, y, w, count, v, u)
--    k.row_map(text, spread), k.row_totals(text, spread), k.row_sums(text)
--                                       such programs over rows, as in row_programs.lua
--    k.sum(n, x)                        the sum of elements, in double precision
--    k.getter()                         f(pointer, i): an element as a number of Lua. Reading pointer[i] is not safe:
--                                       the bits of a NaN may be another value, see torch/base/element.lua

return function(T)

local find, gmatch, gsub = string.find, string.gmatch, string.gsub
local concat, require = table.concat, require
local ffi = require 'ffi'
local element = require 'torch.base.element'
local geometry, native = require 'torch.base.geometry', require 'torch.native.native'
local errors, buffers = require 'torch.base.errors', require 'torch.memory.buffers'
local describe = errors.describe
local device_buffers = require 'torch.memory.device_buffers'
local on_host, read_on_host = device_buffers.on_host, device_buffers.read_on_host
local gemm_code, small_gemm = require 'torch.linalg.gemm_code', require 'torch.linalg.small_gemm'
local finish_trace = require('torch.jit.trace').finish
local fused, template = require 'torch.kernels.elementwise.fused', require 'torch.jit.template'
local row_programs = require 'torch.kernels.elementwise.row_programs'
local cast, byte_p = ffi.cast, ffi.typeof 'char *'
local copy, fill, istype = ffi.copy, ffi.fill, ffi.istype
local contiguous, count_of, same_size = geometry.contiguous, geometry.count, geometry.same_size
local calls = require 'nn.calls'
local tensor_ct, SIZE = T.tensor_ct, T.size

local k = { T = T, TYPE = T.tensor_name, SIZE = SIZE, c = T.c, pointer_ct = T.pointer_ct }

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

function k.plain(t)
   if contiguous(t) then return t end
   if T.base then read_on_host(t) end
   return T.clone(t)
end

function k.steady(t)
   if T.base then read_on_host(t) end
   return T.steady(t)
end

function k.own(t) return buffers.others_write(t._memory) and T.new_like(t) or t end
function k.bring(t, own)
   if not rawequal(t, own) then T.copy_from(t, T, own) end
end
k.contiguous, k.count, k.same_size, k.shares = contiguous, count_of, same_size, T.shares
k.alive, k.copy, k.fill = buffers.alive, copy, fill

function k.getter() return element.getter(T) end

-- Gives t new row-major memory and keeps its sizes.
local function lay_out(t)
   T.set_tensor(t, T.new_like(t))
   return t
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

function k.sized(t, a, b, c, d)
   if t ~= nil then
      if not istype(tensor_ct, t) then wrong_type(t) end
      if not is_of(t, a, b, c, d) then t = T.sized(calls.resizable(t), a, b, c, d) end
   else
      t = T.sized(nil, a, b, c, d)
   end
   if contiguous(t) then return t end
   return lay_out(t)
end

function k.like(t, x)
   if not istype(tensor_ct, t) then wrong_type(t) end
   if not same_size(t, x) then t = T.resize_as(calls.resizable(t), x) end
   if contiguous(t) then return t end
   return lay_out(t)
end

function k.new(a, b, c, d) return k.sized(nil, a, b, c, d) end

local array_ct = ffi.typeof(T.c .. '[?]')
function k.buffer(n) return array_ct(n) end

-- BLAS ------------------------------------------------------------------------------------------------------------

local function routine(name, declaration) return native.routine('blas', T, name, declaration) end
local blas_gemm = routine('gemm',
   'void (*)(char *, char *, int *, int *, int *, $ *, $ *, int *, $ *, int *, $ *, $ *, int *)')
local blas_gemv = routine('gemv', 'void (*)(char *, int *, int *, $ *, $ *, int *, $ *, int *, $ *, $ *, int *)')
local blas_ger = routine('ger', 'void (*)(int *, int *, $ *, $ *, int *, $ *, int *, $ *, int *)')
local blas_axpy = routine('axpy', 'void (*)(int *, $ *, $ *, int *, $ *, int *)')
local blas_dot = routine('dot', '$ (*)(int *, $ *, int *, $ *, int *)')
local I, S, L = ffi.new 'int[8]', ffi.new(T.c .. '[2]'), ffi.new 'char[2]'
local one = ffi.new('int[1]', 1)
local NORMAL, TRANSPOSED = 78, 84
local driver, run_driver = small_gemm.driver_of(T), small_gemm.run

local code_for = gemm_code.chooser(T)
local run_here = require('torch.jit.loader').specialise('torch.linalg.packed_run', T)

function k.gemm(ta, tb, m, n, kk, alpha, a, lda, b, ldb, beta, c, ldc)
   local own = (beta == 0 or beta == 1) and code_for(m, n, kk)
   if own then
      finish_trace()
      return run_here(own, ta, tb, m, n, kk, alpha, cast(byte_p, a), lda, cast(byte_p, b), ldb, beta == 1,
         cast(byte_p, c), ldc)
   end
   -- BLAS is column-major: it sees the transposed product.
   S[0], S[1] = alpha, beta
   local fn = driver(n, m, kk, tb, ta)
   if fn then return run_driver(fn, n, m, kk, S, b, ldb, a, lda, S + 1, c, ldc) end
   L[0], L[1] = tb and TRANSPOSED or NORMAL, ta and TRANSPOSED or NORMAL
   I[0], I[1], I[2], I[3], I[4], I[5] = n, m, kk, ldb, lda, ldc
   blas_gemm(L, L + 1, I, I + 1, I + 2, S, b, I + 3, a, I + 4, S + 1, c, I + 5)
end

function k.gemv(ta, m, n, alpha, a, lda, x, beta, y)
   L[0] = ta and NORMAL or TRANSPOSED
   I[0], I[1], I[2], S[0], S[1] = n, m, lda, alpha, beta
   blas_gemv(L, I, I + 1, S, a, I + 2, x, one, S + 1, y, one)
end

function k.ger(m, n, alpha, x, y, a)
   I[0], I[1], I[2], S[0] = n, m, n, alpha
   blas_ger(I, I + 1, S, y, one, x, one, a, I + 2)
end

function k.axpy(n, alpha, x, y)
   I[0], S[0] = n, alpha
   blas_axpy(I, S, x, one, y, one)
end

function k.dot(n, x, y)
   I[0] = n
   return (element.returned(blas_dot(I, x, one, y, one)))
end

-- Loops replace BLAS where it has no pointers.
if not (blas_gemm and blas_gemv and blas_ger and blas_axpy and blas_dot) then require 'nn.kernels.loop_products'(k) end

-- Products of contiguous matrices: c = beta c + alpha op(a) op(b). Large ones are computed by torch, which parallelizes
-- them.
local DIVIDED = 2 ^ 18
local methods = T.tensor_methods
local function turned(t, turn) return turn and methods.t(t) or t end

function k.product(c, beta, alpha, ta, a, tb, b)
   local m, n = c._size[0], c._size[1]
   local kk = ta and a._size[0] or a._size[1]
   if m * n * kk > DIVIDED then
      methods.addmm(c, beta, c, alpha, turned(a, ta), turned(b, tb))
   else
      k.gemm(ta, tb, m, n, kk, alpha, ptr(a), a._size[1], ptr(b), b._size[1], beta, ptr(c), n)
   end
end

-- Element-wise --------------------------------------------------------------------------------------------------------

function k.loop(ufunc, ...) return native.loop_alone(ufunc, T, ...) end

local add = native.loop_alone('add', T, T, T)
local multiply = native.loop_alone('multiply', T, T, T)
local scaled, factor = ffi.new(T.c .. '[?]', 1), ffi.new(T.c .. '[1]')
local room = 1

function k.add_rows(m, n, alpha, a, c)
   if alpha == 1 then
      for i = 0, m - 1 do add(c, SIZE, a + i * n, SIZE, c, SIZE, n) end
      return
   end
   if n > room then scaled, room = array_ct(n), n end
   factor[0] = alpha
   fill(scaled, n * SIZE)
   for i = 0, m - 1 do add(scaled, SIZE, a + i * n, SIZE, scaled, SIZE, n) end
   multiply(scaled, SIZE, factor, 0, scaled, SIZE, n)
   add(c, SIZE, scaled, SIZE, c, SIZE, n)
end

function k.set_rows(m, n, row, c)
   local bytes = n * SIZE
   for i = 0, m - 1 do copy(c + i * n, row, bytes) end
end

-- Compiles a program, whose language is explained at the top of fused.lua: 'a = multiply w w; a = subtract 1 a; z =
-- multiply a y'. Registers x, y and w are contiguous operands; z is the result, which may be one of them; v and u are
-- numbers of the call; a, b, c and q are scratch. The function takes pointers, the number of elements, v and u: f(x, y,
-- w, z, count, v, u), with nil for operands that the program does not use.
local map_source = [[
return function(x, y, w, z, count, v, u)
   $set
   run($given, z, $size, count)
end]]

-- Multiplying twice by BIG takes every positive number to at least 1 and every negative one to at most -1. Clamped to 0
-- and 1, the result is 1 for positive numbers and 0 for others, without a branch.
local BIG = T.name == 'Double' and '1e308' or '3e38'

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
   text = gsub(text, 'BIG', BIG)
   local inputs, scalars, set = operands_of(text)
   local given = {}
   for i, register in ipairs(inputs) do given[i] = register .. ', ' .. SIZE end
   return template.compile('nn', map_source, { set = set, given = concat(given, ', '), size = SIZE },
      { run = fused.make('nn', T, T, text, inputs, scalars), v_at = scalars.v, u_at = scalars.u })
end

local function rows_of(make, text, spread)
   local inputs = {}
   for register in gmatch('xywvu', '.') do
      if find(text, '%f[%w_]' .. register .. '%f[^%w_]') then inputs[#inputs + 1] = register end
   end
   return make('nn', T, (gsub(text, 'BIG', BIG)), inputs, spread)
end

function k.row_map(text, spread) return rows_of(row_programs.map, text, spread) end
function k.row_totals(text, spread) return rows_of(row_programs.totals, text, spread) end
function k.row_sums(text) return rows_of(row_programs.sums, text) end

-- The sum of n elements, in double precision.
local get = k.getter()
local function sum(n, x)
   local p, q, r, s = 0, 0, 0, 0
   local rest = n % 4
   for i = 0, n - rest - 1, 4 do
      p, q, r, s = p + get(x, i), q + get(x, i + 1), r + get(x, i + 2), s + get(x, i + 3)
   end
   for i = n - rest, n - 1 do p = p + get(x, i) end
   return p + q + (r + s)
end

-- NumPy's loop adds doubles pairwise.
if T.name == 'Double' then
   local whole = array_ct(1)
   function sum(n, x)
      whole[0] = 0
      add(whole, 0, x, SIZE, whole, 0, n)
      return (get(whole, 0))
   end
end
k.sum = sum

-- The sum of a program's results over all elements: f(x, y, w, count, v, u).
local BLOCK = 1024
local total_source = [[
return function(x, y, w, count, v, u)
   $set
   return (run($given, count))
end]]

-- In blocks, if a step has no vector code.
local blocks_source = [[
return function(x, y, w, count, v, u)
   local from, total = 0, 0
   while from < count do
      local n = count - from
      if n > $block then n = $block end
      run($given, terms, n, v, u)
      total = total + sum(n, terms)
      from = from + n
   end
   return total
end]]

function k.total(text)
   local inputs, scalars, set = operands_of(text)
   local run = fused.total('nn', T, text, inputs, scalars)
   if run then
      return template.compile('nn', total_source, { set = set, given = concat(inputs, ', ') },
         { run = run, v_at = scalars.v, u_at = scalars.u })
   end
   local given = {}
   for register in gmatch('xyw', '.') do
      given[#given + 1] = find(text, '%f[%w_]' .. register .. '%f[^%w_]') and register .. ' + from' or 'nil'
   end
   return template.compile('nn', blocks_source, { given = concat(given, ', '), block = BLOCK },
      { run = k.map(text), sum = sum, terms = array_ct(BLOCK) })
end

return k

end
