-- LAPACK by pointer: routines by name for Float and Double, and matrices as LAPACK wants them, column by column.

local require, select, unpack = require, select, unpack
local max = math.max
local ffi = require 'ffi'
local errors, geometry = require 'torch.errors', require 'torch.geometry'
local memory, native = require 'torch.memory', require 'torch.native'
local job, parallel, threads = require 'torch.job', require 'torch.parallel', require 'torch.threads'
local is_tensor = require('torch.types').of_tensor
local contiguous, shape = geometry.contiguous, geometry.shape
local format = string.format
local byte_p, cast = job.byte_p, ffi.cast

local lapack = {}

local int_ct, char_ct = ffi.typeof 'int[1]', ffi.typeof 'char[1]'

local routines = {}

-- Factorisations of matrices of more rows are divided among the threads of BLAS.
lapack.LARGE = 512
local LARGE = lapack.LARGE ^ 2

local function any_large(first, ...)
   if is_tensor(first) and geometry.count(first) > LARGE then return true end
   return select('#', ...) > 0 and any_large(...)
end

local function find(full, count)
   local f = native.routine('lapack', full, 'void (*)(' .. ('void *'):rep(count, ', ') .. ')')
   if not f then errors.raise('%s: this SciPy has no LAPACK routine of that name', full) end
   routines[full] = f
   return f
end

-- Calls xNAME, where x is the letter of the type; all arguments are pointers, the last one to `info`, which is
-- returned. Matrices are given as tensors, whose memory is safe for the length of the call.
function lapack.call(T, name, ...)
   local full = (T.name == 'Double' and 'd' or 's') .. name
   local f = routines[full] or find(full, select('#', ...) + 1)
   local info = int_ct()
   local small = not any_large(...)
   if small then threads.single() end
   f(lapack.pass(info, ...))
   if small then threads.restore() end
   memory.alive(...)
   if info[0] < 0 then errors.raise('%s: LAPACK does not accept argument %d', full, -info[0]) end
   return info[0]
end

-- The arguments as pointers, `info` last.
function lapack.pass(info, first, ...)
   if first == nil and select('#', ...) == 0 then return info end
   if is_tensor(first) then first = first._memory._data + first._offset end
   if select('#', ...) == 0 then return first, info end
   return first, lapack.pass(info, ...)
end

-- Whole numbers and letters are passed by reference.
function lapack.int(n) return int_ct(n) end

function lapack.letter(s) return char_ct(s:byte()) end

-- Calls with a workspace of the size that the routine asks for: `before` and `work` come first, then the size.
function lapack.call_with_work(T, name, ...)
   local size, count = T.new_vector(1), select('#', ...)
   local arguments = { ... }
   local function run(work, length)
      arguments[count + 1], arguments[count + 2] = work, lapack.int(length)
      return lapack.call(T, name, unpack(arguments, 1, count + 2))
   end
   run(size, -1)
   local length = max(size._memory._data[0], 1)
   return run(T.new_vector(length), length)
end

-- Solves A X = B, given the factors and pivots of getrf: the columns of B, in `x`, become those of X. The worker takes
-- half of them where there are many.
local SHARED, COLUMNS = 2 ^ 18, 8

function lapack.solve(T, lu, pivots, x)
   local name = (T.name == 'Double' and 'd' or 's') .. 'getrs'
   local n, columns = lu._size[0], x._size[1]
   local half = parallel.half(columns, COLUMNS)
   local s = half > 0 and n * n * columns >= SHARED and n * n <= LARGE and parallel.worker()
   if not s then
      lapack.call(T, 'getrs', char_ct(78), int_ct(n), int_ct(columns), lu, int_ct(n), pivots, x, int_ct(n))
      return
   end
   local p, q = ffi.new 't7_product', s.product
   p.fn, p.letters[0] = routines[name] or find(name, 9), 78
   p.sizes[0], p.sizes[1] = n, half
   p.args[0], p.args[1], p.args[2] = cast(byte_p, lu._memory._data), cast(byte_p, pivots), cast(byte_p, x._memory._data)
   ffi.copy(q, p, ffi.sizeof(p))
   q.sizes[1], q.args[2] = columns - half, p.args[2] + half * n * T.size
   s.kind = job.SOLVE
   threads.single()
   parallel.publish(s)
   job.solve(p)
   parallel.finish(s)
   threads.restore()
   memory.alive(lu, pivots, x)
end

-- A new rows x columns matrix with strides 1, rows; its elements are not set.
function lapack.new_matrix(T, rows, columns)
   local t = T.new_vector(rows * columns)
   geometry.set_dim(t, 2)
   t._size[0], t._size[1], t._stride[0], t._stride[1] = rows, columns, 1, rows
   return t
end

-- A copy of a matrix, column by column; with more rows, if asked for, which are 0.
function lapack.copy(T, t, rows)
   if not rows or rows <= t._size[0] then
      local copy = lapack.new_matrix(T, t._size[0], t._size[1])
      T.copy_from(copy, T, t)
      return copy
   end
   local copy = T.fill(lapack.new_matrix(T, rows, t._size[1]), 0)
   T.copy_from(T.narrow_view(copy, 0, 0, t._size[0]), T, t)
   return copy
end

-- The matrix `made` as the result of an operation: itself, or in the tensor given for it, whose strides become
-- those of columns one after the other.
function lapack.give(T, r, made)
   if not r then return made end
   local rows, columns = made._size[0], made._size[1]
   T.resize_to(r, { columns, rows })
   if not (rows == columns and r._stride[0] == 1 and r._stride[1] == rows) then
      r._size[0], r._size[1], r._stride[0], r._stride[1] = rows, columns, r._stride[1], r._stride[0]
   end
   T.copy_from(r, T, made)
   return r
end

-- The same for results that are contiguous.
function lapack.give_plain(T, r, made)
   if not r then return contiguous(made) and made or T.clone(made) end
   T.resize_as(r, made)
   T.copy_from(r, T, made)
   return r
end

-- Checks of the arguments; n is their position.

function lapack.check_matrix(name, n, t)
   if t._dim ~= 2 then errors.argument(name, n, 'matrix expected, got %.0fD tensor [%s]', t._dim, shape(t)) end
   if t._size[0] >= 2 ^ 31 or t._size[1] >= 2 ^ 31 then
      errors.argument(name, n, '[%s] is too large for LAPACK', shape(t))
   end
end

function lapack.check_square(name, n, t)
   lapack.check_matrix(name, n, t)
   if t._size[0] ~= t._size[1] then errors.argument(name, n, 'square matrix expected, got [%s]', shape(t)) end
end

-- One of the letters of an option such as 'UL', the first by default.
function lapack.option(name, n, value, letters)
   if value == nil then return letters:sub(1, 1) end
   if #value ~= 1 or not letters:find(value, 1, true) then
      errors.argument(name, n, "one of '%s' expected, got '%s'", letters:gsub('.', '%0 '):sub(1, -2), value)
   end
   return value
end

-- A matrix that has no inverse, or no solution.
function lapack.singular(name, pivot)
   errors.raise('%s: the matrix is singular: %s', name, format('pivot (%d,%d) of its factorisation is 0', pivot, pivot))
end

return lapack
