-- LAPACK by pointer: routines by name for Float and Double, and matrices as LAPACK wants them, column by column.

local byte = string.byte
local ffi = require 'ffi'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local buffers, native = require 'torch.memory.buffers', require 'torch.native.native'
local lazy_table, template = require 'torch.jit.lazy_table', require 'torch.jit.template'
local is_tensor = require('torch.base.types').of_tensor
local contiguous, shape = geometry.contiguous, geometry.shape
local concat, format = table.concat, string.format

local lapack = {}

local int_ct, char_ct = ffi.typeof 'int[1]', ffi.typeof 'char[1]'

local routines = { Float = {}, Double = {} }

local function full_name(T, name) return (T.name == 'Double' and 'd' or 's') .. name end

local function find(T, name, count)
   local f = native.routine('lapack', T, name, 'void (*)(' .. string.rep('void *', count, ', ') .. ')')
   if not f then errors.raise('%s: this SciPy has no LAPACK routine of that name', full_name(T, name)) end
   routines[T.name][name] = f
   return f
end

local function wrong_argument(T, name, info)
   errors.raise('%s: LAPACK does not accept argument %d', full_name(T, name), -info)
end

-- The code of a call with some number of arguments, without a loop over them.
local source = [[
return function(T, name, $arguments)
   local f, info = routines[T.name][name] or find(T, name, $count + 1), int_ct()
$pointers
   f($passed, info)
   keep_alive($arguments)
   if info[0] < 0 then wrong_argument(T, name, info[0]) end
   return info[0]
end]]

-- Integers and letters are passed by reference.
local pointer = [[
   local p$k = a$k
   if type(a$k) == 'number' then p$k = int_ct(a$k)
   elseif type(a$k) == 'string' then p$k = char_ct(byte(a$k))
   elseif is_tensor(a$k) then p$k = a$k._memory._data + a$k._offset end]]

local function generated(code, count, upvalues)
   local arguments, passed, pointers = {}, {}, {}
   for k = 1, count do
      arguments[k], passed[k] = 'a' .. k, 'p' .. k
      pointers[k] = template.fill('lapack', pointer, { k = k })
   end
   return template.compile('lapack', code, {
      count = count, arguments = concat(arguments, ', '), passed = concat(passed, ', '),
      pointers = concat(pointers, '\n'),
   }, upvalues)
end

local callers = lazy_table(function(count)
   return generated(source, count, { routines = routines, find = find, wrong_argument = wrong_argument,
      int_ct = int_ct, char_ct = char_ct, byte = byte, type = type, is_tensor = is_tensor,
         keep_alive = buffers.keep_alive })
end)

-- Calls xNAME, where x is the letter of the type, and returns its `info`. Arguments are tensors, whose memory is safe
-- for the length of the call, other pointers, integers and letters.
function lapack.call(T, name, ...) return callers[select('#', ...)](T, name, ...) end

local with_work = [[
return function(T, name, $arguments)
   local size, length = T.new_vector(1), int_ct(-1)
   call(T, name, $arguments, size, length)
   length[0] = size._memory._data[0] > 1 and size._memory._data[0] or 1
   return call(T, name, $arguments, T.new_vector(length[0]), length)
end]]

local callers_with_work = lazy_table(function(count)
   return generated(with_work, count, { call = callers[count + 2], int_ct = int_ct })
end)

-- Calls with a workspace of the size that the routine asks for: `before` and `work` come first, then the size.
function lapack.call_with_work(T, name, ...) return callers_with_work[select('#', ...)](T, name, ...) end

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

-- Returns a result that was `made` contiguous: itself, or in the tensor given for it.
function lapack.give_plain(T, r, made)
   if r then return T.result(r, made) end
   if not contiguous(made) then return T.clone(made) end
   geometry.set_contiguous(made)
   return made
end

-- Returns a matrix in column-major strides, unless r is the operand, of its size, or a part of a tensor.
function lapack.give(T, r, made, operand)
   if not r then return made end
   local rows, columns = made._size[0], made._size[1]
   if rawequal(r, operand) and geometry.same_size(r, made) then return lapack.give_plain(T, r, made) end
   T.resize_to(r, { columns, rows })
   if rows ~= columns or contiguous(r) then
      r._size[0], r._size[1], r._stride[0], r._stride[1] = rows, columns, r._stride[1], r._stride[0]
      r._layout = 0
   end
   T.copy_from(r, T, made)
   return r
end

-- Checks of the arguments; n is their position.

function lapack.check_matrix(name, n, t)
   if t._dim ~= 2 then errors.argument(name, n, 'must be a matrix (got a %.0fD tensor [%s])', t._dim, shape(t)) end
   if t._size[0] >= 2 ^ 31 or t._size[1] >= 2 ^ 31 then
      errors.argument(name, n, 'is too large for LAPACK (got [%s])', shape(t))
   end
end

function lapack.check_square(name, n, t)
   lapack.check_matrix(name, n, t)
   if t._size[0] ~= t._size[1] then errors.argument(name, n, 'must be a square matrix (got [%s])', shape(t)) end
end

local function spaced(letters) return (string.sub(string.gsub(letters, '.', '%0 '), 1, -2)) end

-- The letters chosen from `sets` such as 'UL', by default the first of each. Words come in the order of the sets;
-- each is for the next set that has its first letter, since any may be left out. The first word is argument n.
function lapack.options(name, n, sets, ...)
   local chosen, at = {}, 0
   for i, letters in ipairs(sets) do chosen[i] = string.sub(letters, 1, 1) end
   for i = 1, select('#', ...) do
      local word = select(i, ...)
      if word == nil then break end
      local letter, first = string.sub(word, 1, 1), at + 1
      repeat at = at + 1 until not sets[at] or letter ~= '' and string.find(sets[at], letter, 1, true)
      if not sets[at] then
         if first > #sets then errors.argument(name, n + i - 1, "must be left out (got '%s')", word) end
         local wanted = {}
         for k = first, #sets do wanted[#wanted + 1] = "'" .. spaced(sets[k]) .. "'" end
         errors.argument(name, n + i - 1, 'must be one of %s (got \'%s\')', concat(wanted, ' or '), word)
      end
      chosen[at] = letter
   end
   return unpack(chosen)
end

function lapack.singular(name, pivot)
   errors.raise('%s: the matrix is singular: %s', name, format('pivot (%d,%d) of its factorisation is 0', pivot, pivot))
end

return lapack
