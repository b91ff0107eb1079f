-- Kernels that treat every element alike. Each function here takes a type and a row's parameter and returns
-- the kernel for it: f(r, t, ...) with r nil when a new result is wanted.
--
-- Operands match by their number of elements; the result takes the sizes of the first one.

local loadstring, require = loadstring, require
local ffi = require 'ffi'
local errors, geometry, native, plan = require 'torch.errors', require 'torch.geometry', require 'torch.native', require 'torch.plan'
local element, types = require 'torch.element', require 'torch.types'
local shape = geometry.shape

local elementwise = {}

function elementwise.mismatch(name, t, u)
   errors.raise('%s: inconsistent tensor sizes: [%s] of %.0f elements and [%s] of %.0f', name, shape(t),
      geometry.count(t), shape(u), geometry.count(u))
end

-- Where operands are not contiguous: the walk, run by run. Inputs that fit no common walk are copied first.
local plan_2, plan_3 = plan.new(2), plan.new(3)

function elementwise.walk2(run, R, r, T, t)
   local p = plan_2
   if not plan.prepare(p, 2, r, t) then
      t = T.clone(t)
      plan.prepare(p, 2, r, t)
   end
   local x, z = t._memory._data + t._offset, r._memory._data + r._offset
   local x_step, z_step, count = p.step[2][0] * T.size, p.step[1][0] * R.size, p.size[0]
   plan.start(p)
   repeat run(x + p.offset[2], x_step, z + p.offset[1], z_step, count) until not plan.next(p, 2)
end

function elementwise.walk3(run, R, r, T, t, u)
   local p = plan_3
   if not plan.prepare(p, 3, r, t, u) then
      t, u = T.contiguous(t), T.contiguous(u)
      plan.prepare(p, 3, r, t, u)
   end
   local x, y, z = t._memory._data + t._offset, u._memory._data + u._offset, r._memory._data + r._offset
   local x_step, y_step, z_step, count = p.step[2][0] * T.size, p.step[3][0] * T.size, p.step[1][0] * R.size, p.size[0]
   plan.start(p)
   repeat
      run(x + p.offset[2], x_step, y + p.offset[3], y_step, z + p.offset[1], z_step, count)
   until not plan.next(p, 3)
end

-- With a number as second operand: `scalar` holds it, and its step is 0.
function elementwise.walk_scalar(run, R, r, T, t, scalar)
   local p = plan_2
   if not plan.prepare(p, 2, r, t) then
      t = T.clone(t)
      plan.prepare(p, 2, r, t)
   end
   local x, z = t._memory._data + t._offset, r._memory._data + r._offset
   local x_step, z_step, count = p.step[2][0] * T.size, p.step[1][0] * R.size, p.size[0]
   plan.start(p)
   repeat run(x + p.offset[2], x_step, scalar, 0, z + p.offset[1], z_step, count) until not plan.next(p, 2)
end

-- The code of the kernels, made anew for each operation and type so that it compiles on its own.
local unary_source = [[
local run, R, T, lib, name = ...
local contiguous, count_of, rawequal = lib.geometry.contiguous, lib.geometry.count, rawequal
local walk, resize_as, new_like, r_size, t_size = lib.walk2, R.resize_as, R.new_like, R.size, T.size
return function(r, t)
   if not r then r = new_like(t) elseif not rawequal(r, t) then resize_as(r, t) end
   local n = count_of(t)
   if n == 0 then return r end
   if contiguous(r) and contiguous(t) then
      run(t._memory._data + t._offset, t_size, r._memory._data + r._offset, r_size, n)
   else
      walk(run, R, r, T, t)
   end
   return r
end]]

local binary_source = [[
local run, R, T, lib, name = ...
local contiguous, count_of, rawequal = lib.geometry.contiguous, lib.geometry.count, rawequal
local walk, mismatch, resize_as, new_like, r_size, t_size = lib.walk3, lib.mismatch, R.resize_as, R.new_like, R.size, T.size
return function(r, t, u)
   local n = count_of(t)
   if n ~= count_of(u) then mismatch(name, t, u) end
   if not r then r = new_like(t) elseif not rawequal(r, t) then resize_as(r, t) end
   if n == 0 then return r end
   if contiguous(r) and contiguous(t) and contiguous(u) then
      run(t._memory._data + t._offset, t_size, u._memory._data + u._offset, t_size, r._memory._data + r._offset, r_size, n)
   else
      walk(run, R, r, T, t, u)
   end
   return r
end]]

local scalar_source = [[
local run, R, T, lib, name, scalar, set = ...
local contiguous, count_of, rawequal = lib.geometry.contiguous, lib.geometry.count, rawequal
local walk, resize_as, new_like, r_size, t_size = lib.walk_scalar, R.resize_as, R.new_like, R.size, T.size
return function(r, t, value)
   if not r then r = new_like(t) elseif not rawequal(r, t) then resize_as(r, t) end
   local n = count_of(t)
   if n == 0 then return r end
   set(scalar, 0, value)
   if contiguous(r) and contiguous(t) then
      run(t._memory._data + t._offset, t_size, scalar, 0, r._memory._data + r._offset, r_size, n)
   else
      walk(run, R, r, T, t, scalar)
   end
   return r
end]]

elementwise.geometry = geometry

local function build(source, name, run, R, T)
   return loadstring(source, '=t7 ' .. name)(run, R, T, elementwise, name, ffi.new(T.c .. '[1]'), element.setter(T))
end

-- A LuaJIT loop over the elements, for what NumPy has no loop for. `expression` computes from a and b.
local loop_source = [[
local R, T, get, set, lib, cast = ...
local math, bit = math, bit
local floor, ceil, fmod, abs = math.floor, math.ceil, math.fmod, math.abs
return function(x, x_step, y, y_step, z, z_step, count)
   x_step, y_step, z_step = x_step / T.size, y_step / T.size, z_step / R.size
   if x_step == 1 and z_step == 1 and y_step == 0 then
      local b = y[0]
      for i = 0, count - 1 do
         local a = x[i]
         z[i] = $expression
      end
   else
      for i = 0, count - 1 do
         local a, b = x[i * x_step], y[i * y_step]
         z[i * z_step] = $expression
      end
   end
end]]

local function loop(name, R, T, expression)
   local source = loop_source:gsub('%$expression', (expression:gsub('%%', '%%%%')))
   return loadstring(source, '=t7 ' .. name)(R, T, element.getter(T), element.setter(R), elementwise, ffi.cast)
end

-- A run for two operands: NumPy's loop by its name, or a LuaJIT loop for an expression of a and b.
local function binary_run(name, R, T, how)
   if how.loop then return loop(name, R, T, how.loop) end
   return native.loop(how.ufunc, T, T, R)
end

local function has_zero(T, t)
   return T.tensor_methods.eq(t, 0):max() == 1
end

-- r = f(t, u), element by element. how: { ufunc = name } or { loop = expression }, and for integer types
-- maybe { integer = another how }; `nonzero` refuses zeros in u.
function elementwise.binary(name, T, how)
   if T.integer and how.integer then how = how.integer end
   local kernel = build(binary_source, name, binary_run(name, T, T, how), T, T)
   if not how.nonzero then return kernel end
   return function(r, t, u)
      if u._dim > 0 and has_zero(T, u) then errors.raise('%s: division by zero in a %s', name, T.tensor_name) end
      return kernel(r, t, u)
   end
end

-- r = f(t, value). Integer types truncate the value first.
function elementwise.scalar(name, T, how)
   if T.integer and how.integer then how = how.integer end
   local kernel = build(scalar_source, name, binary_run(name, T, T, how), T, T)
   if not how.nonzero then return kernel end
   local truncated, set = ffi.new(T.c .. '[1]'), element.setter(T)
   return function(r, t, value)
      set(truncated, 0, value)
      if truncated[0] == 0 then errors.raise('%s: division by zero in a %s', name, T.tensor_name) end
      return kernel(r, t, value)
   end
end

-- r = f(t).
function elementwise.unary(name, T, how)
   return build(unary_source, name, native.loop(how.ufunc, T, T), T, T)
end

-- Comparisons: 0 or 1, in a ByteTensor; the _own ones in a given result of the own type.
function elementwise.compare(name, T, how)
   return build(binary_source, name, native.loop(how.ufunc, T, T, 'bool'), types.by_name.Byte, T)
end

function elementwise.compare_scalar(name, T, how)
   return build(scalar_source, name, native.loop(how.ufunc, T, T, 'bool'), types.by_name.Byte, T)
end

function elementwise.compare_own(name, T, how)
   return build(binary_source, name, loop(name, T, T, how.loop), T, T)
end

function elementwise.compare_scalar_own(name, T, how)
   return build(scalar_source, name, loop(name, T, T, how.loop), T, T)
end

-- r = t + value * u. Integer types truncate the value first.
function elementwise.scaled(name, T, how)
   local add = elementwise.binary(name, T, how)
   local scale = elementwise.scalar(name, T, { ufunc = 'multiply' })
   return function(r, t, value, u)
      if value == 1 then return add(r, t, u) end
      return add(r, t, scale(nil, u, value))
   end
end

return elementwise
