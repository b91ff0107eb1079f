-- The foundation of kernels of one element type. See kernel.lua for its use in modules.
-- See docs/decisions/0018-nn-kernels.md.
--
--    k.T, k.TYPE, k.SIZE, k.c           the row of the type, 'torch.DoubleTensor', bytes of an element, its C type
--    k.is(x)                            whether x is a tensor of the type
--    k.ptr(t)                           pointer to the first element; nil for tensors that never had memory
--    k.as_contiguous(t)                 t if it is contiguous in row-major order, else a contiguous copy
--    k.snapshot(t)                      the same, in memory that nothing else writes to: it can be checked first
--    k.writable(t), k.copy_back(t, own) for results that are read while they are computed: t, or a separate tensor if
--                                       t's memory is shared; and the copy back to t
--    k.contiguous(t), k.numel(t)        whether t is contiguous; its number of elements
--    k.same_size(a, b), k.shares(a, b)  equal sizes; the same memory
--    k.resized(t, a, b, c, d)           t resized to up to four sizes, contiguous; a new tensor for nil
--    k.resize_as(t, x)                  t resized to the sizes of x, contiguous
--    k.new(a, b, c, d)                  a new tensor
--    k.keep_alive(...)                  at the end of a kernel: keeps tensors alive until here
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
--    k.map(text)                        element-wise work as a program: f(x, y, w, z, count, v, u), see `map` below
--    k.total(text)                      the sum of such a program's elements: f(x, y, w, count, v, u)
--    k.row_map(text, broadcast), k.column_sums(text, broadcast), k.row_sums(text)
--                                       such programs over rows, as in row_programs.lua
--    k.sum(n, x)                        the sum of elements, in double precision
--    k.getter()                         f(pointer, i): an element as a Lua number. Reading pointer[i] is not safe:
--                                       the bits of a NaN may be another value, see torch/loops/element.lua

return function(T)

local ffi = require 'ffi'
local element = require 'torch.loops.element'
local geometry = require 'torch.base.geometry'
local errors, buffers = require 'torch.base.errors', require 'torch.memory.buffers'
local describe = errors.describe
local device_buffers = require 'torch.memory.device_buffers'
local on_host, read_on_host = device_buffers.on_host, device_buffers.read_on_host
local load = require('torch.jit.loader').load
local copy, fill, istype = ffi.copy, ffi.fill, ffi.istype
local contiguous, numel, same_size = geometry.contiguous, geometry.numel, geometry.same_size
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

function k.as_contiguous(t)
   if contiguous(t) then return t end
   if T.base then read_on_host(t) end
   return T.clone(t)
end

function k.snapshot(t)
   if T.base then read_on_host(t) end
   return T.snapshot(t)
end

function k.writable(t) return buffers.is_shared(t._memory) and T.new_like(t) or t end
function k.copy_back(t, own)
   if not rawequal(t, own) then T.copy_from(t, T, own) end
end
k.contiguous, k.numel, k.same_size, k.shares = contiguous, numel, same_size, T.shares
k.keep_alive, k.copy, k.fill = buffers.keep_alive, copy, fill

function k.getter() return element.getter(T) end

-- Gives t new row-major memory and keeps its sizes.
local function reallocate(t)
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

function k.resized(t, a, b, c, d)
   if t ~= nil then
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

load 'nn.kernels.kernel_blas'(T, k)
load 'nn.kernels.kernel_programs'(T, k)

return k

end
