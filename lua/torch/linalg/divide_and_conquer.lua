-- Decompositions of larger matrices: vectors by LAPACK's divide and conquer, which takes a third of the time that the
-- iterations of gesvd and syev take, with the signs that those iterations give.
--
-- A vector is determined up to its sign. The iterations apply their rotations to all rows of the result; applied to
-- two rows alone they cost little, and these tell the signs. Where vectors belong to values so close to each other
-- that they are not determined, the rows differ in more than signs: then nothing is returned, and the caller takes
-- the slow way. The values are those of the iterations.

local require = require
local abs, cos, floor, huge, max, min, sqrt = math.abs, math.cos, math.floor, math.huge, math.max, math.min, math.sqrt
local sort = table.sort
local ffi = require 'ffi'
local lapack, memory, native = require 'torch.linalg.lapack', require 'torch.memory.blocks', require 'torch.core.native'
local tuning = require 'torch.core.tuning'
local copy, int, letter = ffi.copy, lapack.int, lapack.letter

local divide_and_conquer = {}

local LEAST = tuning.DIVIDED_LEAST
local OBLONG = tuning.OBLONG
-- Elements of other magnitudes are scaled before the iterations, which changes their course.
local LARGEST = { Float = 1e12, Double = 1e100 }
-- Two rows agree when they differ by less; the vectors of values close to each other are less exact by far.
local TOLERANCE = { Float = 5e-4, Double = 1e-7 }

-- Values this close, in parts of the largest, have vectors that cannot agree.
local CLOSE = { Float = 1e-6, Double = 1e-10 }

local doubles_ct, integers_ct = ffi.typeof 'double[?]', ffi.typeof 'int[?]'
local PROBES = 2

local function data_of(t) return t._memory._data + t._offset end

-- Tells whether a matrix is large enough and its elements are in range; nan is not.
local function suitable(T, a)
   local data, count, largest = data_of(a), a._size[0] * a._size[1], 0
   if min(a._size[0], a._size[1]) < LEAST then return false end
   for i = 0, count - 1 do
      local x = abs(data[i])
      if not (x < huge) then return false end
      largest = max(largest, x)
   end
   return largest < LARGEST[T.name] and largest > 1 / LARGEST[T.name]
end

-- The rows that the iterations turn: PROBES numbers for each of n columns, in no order that a matrix could have.
local function probes(n)
   local p = doubles_ct(PROBES * n)
   for k = 0, PROBES * n - 1 do p[k] = cos(k * k + k / 3) end
   return p
end

-- Tells whether sorted values lie apart.
local function separate(T, values, n)
   local least = CLOSE[T.name] * max(abs(values[0]), abs(values[n - 1]))
   for i = 0, n - 2 do
      if not (abs(values[i] - values[i + 1]) > least) then return false end
   end
   return true
end

-- Gives `vectors` the signs of an iteration, which made `expected` of the probes p: two numbers for each vector, its
-- products with the probes. A vector with other signs in its products is turned. False when more than signs differ.
-- Element i of vector j is at i * step + j * next; its products are at j * next_expected and `apart` from there.
local function match_signs(T, p, expected, apart, next_expected, vectors, step, next, count)
   local tolerance = TOLERANCE[T.name] * sqrt(count)
   for j = 0, count - 1 do
      local first, second = 0, 0
      for i = 0, count - 1 do
         local x = vectors[i * step + j * next]
         first, second = first + p[2 * i] * x, second + p[2 * i + 1] * x
      end
      local a, b = expected[j * next_expected], expected[j * next_expected + apart]
      local sign = a * first + b * second < 0 and -1 or 1
      if not (max(abs(first), abs(second)) > 2 * tolerance and abs(a - sign * first) < tolerance
         and abs(b - sign * second) < tolerance) then
         return false
      end
      if sign < 0 then
         for i = 0, count - 1 do vectors[i * step + j * next] = -vectors[i * step + j * next] end
      end
   end
   return true
end

-- Applies the iteration to `left`, probes as rows, and `right`, as columns, by the singular vectors of a bidiagonal
-- matrix of n rows, `d` on its diagonal and `e` above it ('U') or below ('L'); `d` becomes its singular values.
local function turn_probes(T, triangle, n, d, e, left, right)
   local none = T.new_vector(1)
   return lapack.call(T, 'bdsqr', letter(triangle), int(n), int(PROBES), int(PROBES), int(0), d, e, right, int(n),
      left, int(PROBES), none, int(1), T.new_vector(4 * n)) == 0
end

-- The factors of such a matrix, as new matrices U and VT of n rows; `d` becomes its singular values.
local function bidiagonal(T, triangle, n, d, e)
   local p, left, right = probes(n), lapack.new_matrix(T, PROBES, n), lapack.new_matrix(T, n, PROBES)
   for i = 0, n - 1 do
      for row = 0, PROBES - 1 do
         local x = p[i * PROBES + row]
         data_of(left)[i * PROBES + row], data_of(right)[row * n + i] = x, x
      end
   end
   local values, beside = T.clone(d), T.clone(e)
   if not turn_probes(T, triangle, n, d, e, left, right) or not separate(T, data_of(d), n) then return nil end
   local u, vt, none = lapack.new_matrix(T, n, n), lapack.new_matrix(T, n, n), T.new_vector(1)
   local info = lapack.call(T, 'bdsdc', letter(triangle), letter 'I', int(n), values, beside, u, int(n), vt, int(n),
      none, int(1), T.new_vector(3 * n * n + 4 * n), integers_ct(8 * n))
   local matched = info == 0 and match_signs(T, p, data_of(left), 1, PROBES, data_of(u), 1, n, n)
      and match_signs(T, p, data_of(right), n, 1, data_of(vt), n, 1, n)
   memory.alive(left, right)
   if matched then return u, vt end
end

-- A larger matrix with `t` in its corner and ones on the rest of its diagonal.
local function extended(T, t, rows, columns)
   local m = T.fill(lapack.new_matrix(T, rows, columns), 0)
   T.copy_from(T.narrow_view(T.narrow_view(m, 0, 0, t._size[0]), 1, 0, t._size[1]), T, t)
   for i = min(t._size[0], t._size[1]), min(rows, columns) - 1 do data_of(m)[i * rows + i] = 1 end
   return m
end

-- The lower ('L') or upper ('U') triangle of the first n rows and columns, with zeros for the rest.
local function triangle_of(T, a, n, which)
   local t = T.fill(lapack.new_matrix(T, n, n), 0)
   for j = 0, n - 1 do
      local first, last = which == 'U' and 0 or j, which == 'U' and j or n - 1
      T.copy_from(T.narrow_view(T.select_view(t, 1, j), 0, first, last - first + 1), T,
         T.narrow_view(T.select_view(a, 1, j), 0, first, last - first + 1))
   end
   return t
end

local svd

-- The factors of a tall matrix, whose elements are lost: those of R after A = QR.
local function tall(T, a, width)
   local m, n = a._size[0], a._size[1]
   local tau = T.new_vector(n)
   lapack.call_with_work(T, 'geqrf', int(m), int(n), a, int(m), tau)
   local u, s, vt = svd(T, triangle_of(T, a, n, 'U'), n, n)
   if not u then return nil end
   u = extended(T, u, m, width)
   lapack.call_with_work(T, 'ormqr', letter 'L', letter 'N', int(m), int(width), int(n), a, int(m), tau, u, int(m))
   return u, s, vt
end

-- Those of a wide one: those of L after A = LQ.
local function wide(T, a, height)
   local m, n = a._size[0], a._size[1]
   local tau = T.new_vector(m)
   lapack.call_with_work(T, 'gelqf', int(m), int(n), a, int(m), tau)
   local u, s, vt = svd(T, triangle_of(T, a, m, 'L'), m, m)
   if not u then return nil end
   vt = extended(T, vt, height, n)
   lapack.call_with_work(T, 'ormlq', letter 'R', letter 'N', int(height), int(n), int(m), a, int(m), tau, vt,
      int(height))
   return u, s, vt
end

svd = function(T, a, width, height)
   local m, n = a._size[0], a._size[1]
   local k = min(m, n)
   if m >= floor(OBLONG * n) then return tall(T, a, width) end
   if n >= floor(OBLONG * m) then return wide(T, a, height) end
   local d, e, tauq, taup = T.new_vector(k), T.new_vector(k), T.new_vector(k), T.new_vector(k)
   lapack.call_with_work(T, 'gebrd', int(m), int(n), a, int(m), d, e, tauq, taup)
   local u, vt = bidiagonal(T, m >= n and 'U' or 'L', k, d, e)
   if not u then return nil end
   u, vt = extended(T, u, m, width), extended(T, vt, height, n)
   lapack.call_with_work(T, 'ormbr', letter 'Q', letter 'L', letter 'N', int(m), int(width), int(n), a, int(m), tauq,
      u, int(m))
   lapack.call_with_work(T, 'ormbr', letter 'P', letter 'R', letter 'T', int(height), int(n), int(m), a, int(m), taup,
      vt, int(height))
   return u, d, vt
end

-- U of `width` columns, the singular values, and V transposed of `height` rows; nil for matrices that are small, or
-- have vectors that are not determined.
function divide_and_conquer.svd(T, a, width, height)
   if suitable(T, a) then return svd(T, lapack.copy(T, a), width, height) end
end

-- The iteration of LAPACK's steqr for doubles, on the probes in place of a matrix: values to `d`, and the products of
-- the probes and the vectors to `p`, two for each. `e` holds what is beside the diagonal. It follows steqr
-- in what decides about signs: where the matrix is split, at which end an iteration begins, its shifts and rotations,
-- and how they are rounded, for the last bit may cost a turn more. The result tells whether it converged.
local EPSILON, SMALLEST, TURNS = 2 ^ -53, 2 ^ -1022, 30
local rotation_t = ffi.typeof 'void (*)(double *, double *, double *, double *, double *)'
local corner_t = ffi.typeof 'void (*)(double *, double *, double *, double *, double *, double *, double *)'

-- Turns the products for two neighbours, at i and k.
local function turn(p, i, k, c, s)
   local x, y, z, w = p[2 * i], p[2 * k], p[2 * i + 1], p[2 * k + 1]
   p[2 * i], p[2 * k] = c * x + s * y, c * y - s * x
   p[2 * i + 1], p[2 * k + 1] = c * z + s * w, c * w - s * z
end

-- One sweep from m to l, against `step`, which is 1 or -1; the element beside i and i + step is at e[i + before].
local function sweep(d, e, p, l, m, step, before, rotation, values)
   local beside = e[l + before]
   local g = (d[l + step] - d[l]) / (2 * beside)
   local high, low = max(abs(g), 1), min(abs(g), 1)
   local r = high * sqrt(1 + (low / high) ^ 2)
   g = d[m] - d[l] + beside / (g + (g < 0 and -r or r))
   local s, c, q = 1, 1, 0
   for i = m - step, l, -step do
      local f, b = s * e[i + before], c * e[i + before]
      values[0], values[1] = g, f
      rotation(values, values + 1, values + 2, values + 3, values + 4)
      c, s, r = values[2], values[3], values[4]
      if i ~= m - step then e[i + step + before] = r end
      g = d[i + step] - q
      r = (d[i] - g) * s + 2 * c * b
      q = s * r
      d[i + step] = g + q
      g = c * r - b
      turn(p, i + step, i, c, s)
   end
   d[l] = d[l] - q
   e[l + before] = g
end

-- Where the block that begins at l and may reach to `last` ends, for what lies between is as good as 0.
local function block_end(d, e, l, last, step, before)
   for m = l, last - step, step do
      local beside = e[m + before]
      if beside * beside <= EPSILON * EPSILON * abs(d[m]) * abs(d[m + step]) + SMALLEST then
         e[m + before] = 0
         return m
      end
   end
   return last
end

-- Finds the values from l to `last`; returns the sweeps that are left, less than 0 for too many.
local function iterate(d, e, p, l, last, turns, rotation, corner, values)
   local step = abs(d[last]) < abs(d[l]) and -1 or 1
   if step < 0 then l, last = last, l end
   local before = step < 0 and -1 or 0
   while (last - l) * step >= 0 do
      local m = block_end(d, e, l, last, step, before)
      if m == l then
         l = l + step
      elseif m == l + step then
         local low = min(l, m)
         values[0], values[1], values[2] = d[low], e[low], d[low + 1]
         corner(values, values + 1, values + 2, values + 3, values + 4, values + 5, values + 6)
         turn(p, low, low + 1, values[5], values[6])
         d[low], d[low + 1], e[low] = values[3], values[4], 0
         l = l + 2 * step
      else
         turns = turns - 1
         if turns < 0 then return turns end
         sweep(d, e, p, l, m, step, before, rotation, values)
      end
   end
   return turns
end

local function iterate_probes(d, e, p, n)
   local rotation = native.routine('lapack', 'dlartg', rotation_t)
   local corner = native.routine('lapack', 'dlaev2', corner_t)
   if not (rotation and corner) then return false end
   local turns, values, first = TURNS * n, doubles_ct(7), 0
   while first < n do
      local last = first
      while last < n - 1 and abs(e[last]) > sqrt(abs(d[last])) * sqrt(abs(d[last + 1])) * EPSILON do last = last + 1 end
      if last < n - 1 then e[last] = 0 end
      turns = iterate(d, e, p, first, last, turns, rotation, corner, values)
      if turns < 0 then return false end
      first = last + 1
   end
   return true
end

-- Sorts n values, and the products that belong to them.
local function sort_values(d, p, n)
   local order, values, products = {}, doubles_ct(n), doubles_ct(PROBES * n)
   copy(values, d, 8 * n)
   copy(products, p, 8 * PROBES * n)
   for i = 1, n do order[i] = i - 1 end
   sort(order, function(i, k) return values[i] < values[k] end)
   for i = 0, n - 1 do
      local from = order[i + 1]
      d[i], p[2 * i], p[2 * i + 1] = values[from], products[2 * from], products[2 * from + 1]
   end
end

-- The vectors of a symmetric tridiagonal matrix, `d` on its diagonal and `e` beside it; `d` becomes its values.
local function tridiagonal(T, n, d, e)
   local values, beside, p, turned = T.clone(d), T.clone(e), probes(n), probes(n)
   local converged = iterate_probes(data_of(d), data_of(e), turned, n)
   memory.alive(e)
   if not converged then return nil end
   sort_values(data_of(d), turned, n)
   if not separate(T, data_of(d), n) then return nil end
   local z, length, places = lapack.new_matrix(T, n, n), 1 + 4 * n + n * n, 3 + 5 * n
   local info = lapack.call(T, 'stedc', letter 'I', int(n), values, beside, z, int(n), T.new_vector(length),
      int(length), integers_ct(places), int(places))
   if info == 0 and match_signs(T, p, turned, 1, PROBES, data_of(z), 1, n, n) then return z end
end

-- The vectors and values of a symmetric matrix of doubles, of which one triangle is looked at; nil as above.
function divide_and_conquer.symeig(T, a, triangle)
   if T.name ~= 'Double' or not suitable(T, a) then return nil end
   local n, reduced = a._size[0], lapack.copy(T, a)
   local d, e, tau = T.new_vector(n), T.new_vector(n), T.new_vector(n)
   lapack.call_with_work(T, 'sytrd', letter(triangle), int(n), reduced, int(n), d, e, tau)
   local z = tridiagonal(T, n, d, e)
   if not z then return nil end
   lapack.call_with_work(T, 'ormtr', letter 'L', letter(triangle), letter 'N', int(n), int(n), reduced, int(n), tau,
      z, int(n))
   return z, d
end

return divide_and_conquer
