-- Single elements: reading and writing them by type, and converting runs of them between types.

local loadstring, setmetatable, tonumber, type = loadstring, setmetatable, tonumber, type
local ffi = require 'ffi'
local half = require 'torch.half'
local host = require 'torch.host'
local parallel = require 'torch.parallel'

local element = {}
local from_half, to_half = half.to_number, half.from_number
local cast = ffi.cast

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
local from_half, to_half, number = ...
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
   elseif T ~= S and T.name == 'Half' then f = 'to_half'
   -- LuaJIT 2.1 compiles a store of an int64 into a float wrongly; by way of a double it is right.
   elseif T.name == 'Float' and S.name == 'Long' then f = 'number' end
   local to_bits = S.name == 'Long' and function(v) return to_half(tonumber(v)) end or to_half
   local source = template:gsub('%$f', f)
   return make(source, from_half, to_bits, tonumber)
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

-- Rows of a matrix between two layouts. Where one is the other transposed, strips of eight columns are read along
-- their memory and written along theirs. Each part is a single loop over rows and columns together: nested ones
-- would keep the code around them from being compiled.
local matrix_loop = [[
local from_half, to_half, number = ...
return function(to, to_step, to_row, from, from_step, from_row, count, rows)
   local c = 0
   if to_step == 1 and from_row == 1 and count > 7 then
      local strips = (count - count % 8) / 8
      local p, a0, r = to, from, 0
      for _ = 1, strips * rows do
         local a1, a2, a3 = a0 + from_step, a0 + 2 * from_step, a0 + 3 * from_step
         local a4, a5, a6, a7 = a0 + 4 * from_step, a0 + 5 * from_step, a0 + 6 * from_step, a0 + 7 * from_step
         p[0], p[1], p[2], p[3] = $f(a0[0]), $f(a1[0]), $f(a2[0]), $f(a3[0])
         p[4], p[5], p[6], p[7] = $f(a4[0]), $f(a5[0]), $f(a6[0]), $f(a7[0])
         r = r + 1
         if r < rows then
            p, a0 = p + to_row, a0 + 1
         else
            c, r = c + 8, 0
            p, a0 = to + c, from + c * from_step
         end
      end
   end
   local left = count - c
   if left > 0 and left < 8 then
      -- A narrow rest, or a tiny matrix: a row at a time.
      local p, q = to + c * to_step, from + c * from_step
      for _ = 1, rows do
         p[0] = $f(q[0])
         if left > 1 then
            p[to_step] = $f(q[from_step])
            if left > 2 then
               p[2 * to_step] = $f(q[2 * from_step])
               if left > 3 then
                  p[3 * to_step] = $f(q[3 * from_step])
                  if left > 4 then
                     p[4 * to_step] = $f(q[4 * from_step])
                     if left > 5 then
                        p[5 * to_step] = $f(q[5 * from_step])
                        if left > 6 then p[6 * to_step] = $f(q[6 * from_step]) end
                     end
                  end
               end
            end
         end
         p, q = p + to_row, q + from_row
      end
   elseif left > 0 then
      local p, q, column = to + c * to_step, from + c * from_step, 0
      for _ = 1, left * rows do
         p[0] = $f(q[0])
         column = column + 1
         if column < left then
            p, q = p + to_step, q + from_step
         else
            column = 0
            p, q = p + (to_row - (left - 1) * to_step), q + (from_row - (left - 1) * from_step)
         end
      end
   end
end]]

local loops, matrix_loops = table_of_loops(loop), table_of_loops(matrix_loop)

-- Copies `count` elements from type S to type T; steps are in elements. Ranges may overlap.
function element.copy(T, to, to_step, S, from, from_step, count)
   if T == S and to_step == 1 and from_step == 1 then
      local bytes = count * T.size
      if not parallel.copy(to, from, bytes) then ffi.C.t7_memmove(to, from, bytes) end
   elseif count >= HOST_COUNT and (S.integer or not T.integer) then
      host.convert(tonumber(cast('intptr_t', to)), T.dtype, to_step,
         tonumber(cast('intptr_t', from)), S.dtype, from_step, count)
   else
      loops[T][S](to, to_step, from, from_step, count)
   end
end

-- Copies rows x count elements between two layouts; steps lie between elements, rows between rows.
function element.copy_matrix(T, to, to_step, to_row, S, from, from_step, from_row, count, rows)
   if to_step ~= 1 and to_row == 1 then
      to_step, to_row, from_step, from_row, count, rows = to_row, to_step, from_row, from_step, rows, count
   end
   local run = matrix_loops[T][S]
   if count * rows >= parallel.LEAST then
      parallel.copy_matrix(run, T, to, to_step, to_row, S, from, from_step, from_row, count, rows)
   else
      run(to, to_step, to_row, from, from_step, from_row, count, rows)
   end
end

-- The loop itself, for the worker.
function element.matrix_loop(T, S) return matrix_loops[T][S] end

return element
