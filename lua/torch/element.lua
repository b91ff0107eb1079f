-- Single elements: reading and writing them by type, and converting runs of them between types.

local loadstring, setmetatable, tonumber, type = loadstring, setmetatable, tonumber, type
local ffi = require 'ffi'
local half = require 'torch.half'
local host = require 'torch.host'

local element = {}
local from_half, to_half = half.to_number, half.from_number
local cast = ffi.cast

ffi.cdef 'void *memmove(void *to, const void *from, size_t count);'

-- From this many converted elements on, NumPy's vector loops repay a call into Python. Not for fractions that
-- become integers: outside the range of the integer its vector code differs from C's conversion.
local HOST_COUNT = 30000

-- Code is made per type, so that each place of use compiles on its own.
local function make(source, ...) return loadstring(source, '=t7 element')(...) end

-- get(data, i): the number at position i of a pointer.
function element.getter(T)
   if T.name == 'Half' then
      return make('local f = ... return function(data, i) return f(data[i]) end', from_half)
   elseif T.name == 'Long' then
      return make('local f = ... return function(data, i) return f(data[i]) end', tonumber)
   end
   return make('return function(data, i) return data[i] end')
end

-- set(data, i, number): C's conversion: truncated towards zero, wrapped to the width.
function element.setter(T)
   if T.name == 'Half' then
      return make('local f = ... return function(data, i, v) data[i] = f(v) end', to_half)
   end
   return make('return function(data, i, v) data[i] = v end')
end

-- convert(value): the number to store for a Lua value, nil when there is none. Integer types take any
-- string, as Torch7's did: what does not read as a number is 0.
function element.converter(T)
   if T.integer then
      return function(value)
         local kind = type(value)
         if kind == 'number' then return value end
         if kind == 'string' then return tonumber(value) or 0 end
      end
   end
   return function(value)
      local kind = type(value)
      if kind == 'number' then return value end
      if kind == 'string' then return tonumber(value) end
   end
end

local loop = [[
local from_half, to_half = ...
return function(to, to_step, from, from_step, count)
   if to_step == 1 and from_step == 1 then
      for i = 0, count - 1 do to[i] = $f(from[i]) end
   else
      for i = 0, count - 1 do to[i * to_step] = $f(from[i * from_step]) end
   end
end]]

-- The loop for a pair of types, made when it is first needed.
local function make_loop(template, T, S)
   local f = ''
   if T ~= S and S.name == 'Half' then f = 'from_half'
   elseif T ~= S and T.name == 'Half' then f = 'to_half' end
   local to_bits = S.name == 'Long' and function(v) return to_half(tonumber(v)) end or to_half
   local source = template:gsub('%$f', f)
   return make(source, from_half, to_bits)
end

local function table_of_loops(template)
   return setmetatable({}, { __index = function(all, T)
      all[T] = setmetatable({}, { __index = function(row, S)
         row[S] = make_loop(template, T, S)
         return row[S]
      end })
      return all[T]
   end })
end

-- Two loops, in blocks whose rows and columns stay in the first cache.
local matrix_loop = [[
local from_half, to_half = ...
return function(to, to_step, to_row, from, from_step, from_row, count, rows)
   for r0 = 0, rows - 1, 32 do
      local r1 = r0 + 31
      if r1 >= rows then r1 = rows - 1 end
      for c0 = 0, count - 1, 32 do
         local c1 = c0 + 31
         if c1 >= count then c1 = count - 1 end
         for r = r0, r1 do
            local p, q = to + r * to_row, from + r * from_row
            for c = c0, c1 do p[c * to_step] = $f(q[c * from_step]) end
         end
      end
   end
end]]

local loops, matrix_loops = table_of_loops(loop), table_of_loops(matrix_loop)

-- Copies `count` elements from type S to type T; steps are in elements. Ranges may overlap.
function element.copy(T, to, to_step, S, from, from_step, count)
   if T == S and to_step == 1 and from_step == 1 then
      ffi.C.memmove(to, from, count * T.size)
   elseif count >= HOST_COUNT and (S.integer or not T.integer) then
      host.convert(tonumber(cast('intptr_t', to)), T.dtype, to_step,
         tonumber(cast('intptr_t', from)), S.dtype, from_step, count)
   else
      loops[T][S](to, to_step, from, from_step, count)
   end
end

-- Copies rows x count elements between two layouts; steps lie between elements, rows between rows.
function element.copy_matrix(T, to, to_step, to_row, S, from, from_step, from_row, count, rows)
   matrix_loops[T][S](to, to_step, to_row, from, from_step, from_row, count, rows)
end

return element
