-- Products of vectors and matrices of one element type: BLAS for Float and Double, integer_products.lua for integers.
-- Specialised per type. Callers check sizes; operands may have any strides and may alias the result.

return function(T)

local ffi = require 'ffi'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local buffers, native = require 'torch.memory.buffers', require 'torch.native.native'
local blas_chunks, parallel_for = require 'torch.linalg.blas_chunks', require 'torch.parallel.parallel_for'
local loader = require 'torch.jit.loader'
local gemm_code, packed_gemm = require 'torch.linalg.gemm_code', require 'torch.linalg.packed_gemm'
local small_gemm = require 'torch.linalg.small_gemm'
local finish_trace = require('torch.jit.trace').finish
local scratch, tuning = require 'torch.base.scratch', require 'torch.base.tuning'
local count_of = geometry.count
local alive = buffers.alive
local matrix_layout, MATRIX_LAYOUT, CUBE_LAYOUT = geometry.matrix_layout, geometry.MATRIX, geometry.CUBE
local cast, fill = ffi.cast, ffi.fill
local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min
local byte_p, SIZE, FIXED = ffi.typeof 'char *', T.size, buffers.FIXED

local blas = {}

local LARGEST, PIECE = 2 ^ 31 - 1, tuning.TOTAL_PIECE
-- Nanoseconds for a multiplication: in products of matrices, and with a vector.
local MATRICES, MATRIX = T.name == 'Double' and 0.04 or 0.02, 0.125
-- Products of fewer multiplications are one part: BLAS is called at once.
local SMALL_MATRICES, SMALL_MATRIX = parallel_for.LEAST / MATRICES, parallel_for.LEAST / MATRIX
local NORMAL, TRANSPOSED = 78, 84

local share_gemm = parallel_for.kind('torch.linalg.blas_chunks', 'gemm')
local share_packed = parallel_for.kind('torch.linalg.blas_chunks', 'packed_' .. T.c)
local share_batch = parallel_for.kind('torch.linalg.blas_chunks', 'batch')
local packed_batch = blas_chunks['packed_batch_' .. T.c]
local share_packed_batch = parallel_for.kind('torch.linalg.blas_chunks', 'packed_batch_' .. T.c)
local share_gemv = parallel_for.kind('torch.linalg.blas_chunks', 'gemv')
local share_ger = parallel_for.kind('torch.linalg.blas_chunks', 'ger')
local share_outer = parallel_for.kind('torch.linalg.blas_chunks', 'outer')

local gemm = native.routine('blas', T, 'gemm', blas_chunks.gemm_t)
local driver, run_driver = small_gemm.driver_of(T), small_gemm.run
local gemv = native.routine('blas', T, 'gemv', blas_chunks.gemv_t)
local ger = native.routine('blas', T, 'ger', blas_chunks.ger_t)
local element = require 'torch.base.element'
local returned, get, get_double = element.returned, element.getter(T), element.getter { name = 'Double' }
local dot = native.routine('blas', T, 'dot', '$ (*)(int *, $ *, int *, $ *, int *)')

local share_dot = dot and parallel_for.kind('torch.linalg.blas_chunks', 'dot_' .. T.c)

-- The arguments of calls, which are passed by reference, as the worker takes them too.
local p = native.buffer('t7_product', 1)[0]
local sizes, steps, args, letters = p.sizes, p.steps, p.args, p.letters
local alpha_at, beta_at = cast(T.pointer_ct, p.scales), cast(T.pointer_ct, p.scales + 1)
local n, incx, incy = sizes, sizes + 1, sizes + 2

-- The leading dimension of a matrix whose rows are contiguous, nil for others; d is its first dimension.
local function row_major(t, d)
   if t._layout > 0 then return t._stride[d] end
   local rows, columns, row, column = t._size[d], t._size[d + 1], t._stride[d], t._stride[d + 1]
   if column ~= 1 and columns ~= 1 then return nil end
   if rows == 1 then return columns end
   return row >= columns and row <= LARGEST and row or nil
end

-- Tells the layout by columns.
local function column_major(t, d)
   local rows, columns, row, column = t._size[d], t._size[d + 1], t._stride[d], t._stride[d + 1]
   if row ~= 1 and rows ~= 1 then return nil end
   if columns == 1 then return rows end
   return column >= rows and column <= LARGEST and column or nil
end

-- The step of a vector, nil when BLAS cannot read it.
local function step_of(t)
   local step = t._stride[0]
   if t._size[0] == 1 then return 1 end
   return step >= 1 and step <= LARGEST and step or nil
end

local function start_of(t) return (cast(byte_p, buffers.start(t))) end

local function too_large(a, b)
   errors.raise('sizes in products must be at most 2^31 - 1 (got [%s] and [%s])', geometry.shape(a),
      geometry.shape(b))
end

-- Sets p to c = beta c + alpha a b for matrices from dimension d on; false when BLAS cannot read one of them.
-- BLAS goes column by column: a row-major c is the transposed product of the transposed operands.
local function set_gemm(c, beta, alpha, a, b, d)
   local a_rows, b_rows, c_rows = row_major(a, d), row_major(b, d), row_major(c, d)
   local ld_a, ld_b = a_rows or column_major(a, d), b_rows or column_major(b, d)
   local ld_c = c_rows or column_major(c, d)
   if not (ld_a and ld_b and ld_c) then return false end
   alpha_at[0], beta_at[0], sizes[2], sizes[5] = alpha, beta, a._size[d + 1], ld_c
   args[2] = start_of(c)
   if c_rows then
      letters[0], letters[1] = b_rows and NORMAL or TRANSPOSED, a_rows and NORMAL or TRANSPOSED
      sizes[0], sizes[1], sizes[3], sizes[4] = b._size[d + 1], a._size[d], ld_b, ld_a
      args[0], args[1] = start_of(b), start_of(a)
   else
      letters[0], letters[1] = a_rows and TRANSPOSED or NORMAL, b_rows and TRANSPOSED or NORMAL
      sizes[0], sizes[1], sizes[3], sizes[4] = a._size[d], b._size[d + 1], ld_a, ld_b
      args[0], args[1] = start_of(a), start_of(b)
   end
   return true
end

-- Chunks are columns or rows of the result: BLAS packs the whole other operand for each of them. Few chunks are an
-- even number of about one size, which two cores finish at the same time.
local NARROW, WIDE, FEW = tuning.PART_NARROW, tuning.PART_WIDE, tuning.PART_FEW

local function width(count, least)
   if count <= 2 * least then return least / 2 end
   local pieces = min(2 * floor(count / least / 2), FEW)
   return min(WIDE, ceil(count / pieces / 8) * 8)
end

-- Sets the steps of chunks of columns in BLAS's terms, or of rows.
local function set_steps(by_columns)
   steps[0], steps[1] = 0, 0
   if by_columns then
      p.along, steps[1] = 1, SIZE * (letters[1] == NORMAL and sizes[4] or 1)
      steps[2] = SIZE * sizes[5]
   else
      p.along, steps[0] = 0, SIZE * (letters[0] == NORMAL and 1 or sizes[3])
      steps[2] = SIZE
   end
end

local function run_gemm(least)
   local rows, columns = sizes[0], sizes[1]
   set_steps(columns >= rows)
   local count = max(rows, columns)
   share_gemm(count, width(count, least), MATRICES * rows * columns * sizes[2], p)
end

-- By machine code of our own: parts are panels of the second operand, or rows of the first where panels are few, or
-- where the first operand is transposed and would be copied for each part. The code is made when it is first needed. An
-- element is the same sum in any part, so that their number may follow from that of the threads.
local PANELS, PANEL, BLOCK_ROWS = tuning.PART_PANELS, packed_gemm.columns(SIZE), packed_gemm.ROWS
local code_for = gemm_code.chooser(T)
local run_here = gemm and loader.specialise('torch.linalg.packed_run', T)

local function run_packed(code)
   local columns, rows = sizes[0], sizes[1]
   local by_rows = rows >= columns and (letters[1] == TRANSPOSED or columns < PANELS * PANEL)
   set_steps(by_rows)
   p.code = code
   local count, unit = by_rows and rows or columns, by_rows and BLOCK_ROWS or PANEL
   local pieces = min(max(4 * floor(count / NARROW / 2), 2), 4 * parallel_for.threads())
   local size = ceil(count / pieces / unit) * unit
   -- No part has too few rows for blocks.
   if by_rows and count % size > 0 and count % size < packed_gemm.LEAST_ROWS then size = count end
   share_packed(count, size, MATRICES * rows * columns * sizes[2], p)
end

-- OpenBLAS has special kernels for chunks of up to this many multiplications on processors with vectors of 512 bits.
-- That of a b', both row-major, takes up to twice as long as the others, unless rows are long.
local PART_MOST, TURN_INNER, TURN_LEAST = tuning.PART_MOST, tuning.TURN_INNER, tuning.TURN_LEAST
local TURN_MOST = tuning.TURN_MOST

local function is_slow(c, a, b)
   local rows, inner, columns = a._size[0], a._size[1], b._size[1]
   return inner <= TURN_INNER and columns >= TURN_INNER / 2 and rows * inner <= TURN_MOST
      and rows * inner * columns >= TURN_LEAST
      and width(max(rows, columns), NARROW) * min(rows, columns) * inner <= PART_MOST
      and row_major(c, 0) and row_major(a, 0) and not row_major(b, 0)
end

-- Few rows times the transpose of a long b: OpenBLAS packs Floats of b in half the time for a column-major result.
local COLUMN_INNER, COLUMN_RATIO = tuning.COLUMN_INNER, tuning.COLUMN_RATIO

local function is_wide(c, beta, a, b)
   local rows, columns = c._size[0], c._size[1]
   return T.name == 'Float' and beta == 0 and a._size[1] >= COLUMN_INNER and columns >= COLUMN_RATIO * rows
      and rows * columns <= TURN_MOST and row_major(c, 0) and not row_major(b, 0)
end

-- Matrices column by column, in memory that is kept: new memory is not in the processor's caches.
local function new_room() return { count = TURN_MOST, memory = T.new_vector(TURN_MOST) } end
local take, give = scratch(new_room)
local take_result, give_result = scratch(new_room)

local function by_columns(room, rows, columns)
   local t = T.alias(room.memory)
   t._dim, t._size[0], t._size[1], t._stride[0], t._stride[1] = 2, rows, columns, 1, rows
   return t
end

local function turned(a)
   local room = take(TURN_MOST)
   local t = by_columns(room, a._size[0], a._size[1])
   T.copy_from(t, T, a)
   return t, room
end

local scale

local function scaled(r, x, number)
   scale = scale or require('torch.kernels.elementwise').map('mul', T, { 'z = multiply x v' }, '[r] t v')
   return scale(r, x, number)
end

local function blas_gemm(c, beta, alpha, a, b)
   local rows, inner, columns = a._size[0], a._size[1], b._size[1]
   if rows > LARGEST or inner > LARGEST or columns > LARGEST then too_large(a, b) end
   if T.shares(a, c) then a = T.clone(a) end
   if T.shares(b, c) then b = T.clone(b) end
   local by_rows = row_major(c, 0) or not column_major(c, 0)
   local own = code_for(by_rows and rows or columns, by_rows and columns or rows, inner)
   local room, result
   local target = c
   if own and beta ~= 0 and beta ~= 1 then
      scaled(c, c, beta)
      beta = 1
   end
   if not own and is_slow(c, a, b) then a, room = turned(a) end
   if not own and is_wide(c, beta, a, b) then
      result = take_result(TURN_MOST)
      target = by_columns(result, rows, columns)
   end
   if not set_gemm(target, beta, alpha, a, b, 0) then
      if not (row_major(a, 0) or column_major(a, 0)) then a = T.clone(a) end
      if not (row_major(b, 0) or column_major(b, 0)) then b = T.clone(b) end
      if not (row_major(c, 0) or column_major(c, 0)) then target = T.clone(c) end
      set_gemm(target, beta, alpha, a, b, 0)
   end
   if own then
      run_packed(own)
   else
      p.fn = gemm
      run_gemm(result and 2 * NARROW or NARROW)
   end
   alive(a, b, target)
   if room then give(room) end
   if target ~= c then T.copy_from(c, T, target) end
   if result then give_result(result) end
end

local LARGE = tuning.BATCH_LARGE

-- c = beta c + alpha a b for each matrix of three-dimensional tensors, which share no memory with c.
local function blas_batch(c, beta, alpha, a, b)
   local count, rows, inner, columns = a._size[0], a._size[1], a._size[2], b._size[2]
   if rows > LARGEST or inner > LARGEST or columns > LARGEST then too_large(a, b) end
   local one = rows * columns * inner
   if one > LARGE or not set_gemm(c, beta, alpha, a, b, 1) then return blas.each(c, beta, alpha, a, b) end
   steps[0], steps[1], steps[2] = a._stride[0] * SIZE, b._stride[0] * SIZE, c._stride[0] * SIZE
   if row_major(c, 1) then steps[0], steps[1] = steps[1], steps[0] end
   p.fn = gemm
   p.code = (beta == 0 or beta == 1) and code_for(sizes[1], sizes[0], inner) or nil
   p.driver = driver(sizes[0], sizes[1], sizes[2], letters[0] == TRANSPOSED, letters[1] == TRANSPOSED)
   -- Results that overlap are written in turn.
   local apart = c._stride[0] > (rows - 1) * c._stride[1] + (columns - 1) * c._stride[2]
   local own = p.code ~= nil
   if apart then
      (own and share_packed_batch or share_batch)(count, 1, MATRICES * one * count, p)
   else
      (own and packed_batch or blas_chunks.batch)(p, 0, count)
   end
   alive(a, b, c)
end

local BLOCK = tuning.VECTOR_PART

local function run_gemv()
   local along = letters[0] == NORMAL and 0 or 1
   p.fn, p.along, steps[0], steps[2] = gemv, along, SIZE * (along == 0 and 1 or sizes[3]), SIZE * sizes[5]
   share_gemv(sizes[along], BLOCK, MATRIX * sizes[0] * sizes[1], p)
end

local function blas_gemv(y, beta, alpha, a, x)
   local rows, columns = a._size[0], a._size[1]
   if rows > LARGEST or columns > LARGEST then too_large(a, x) end
   if T.shares(a, y) then a = T.clone(a) end
   if T.shares(x, y) then x = T.clone(x) end
   local by_rows = row_major(a, 0)
   local ld = by_rows or column_major(a, 0)
   if not ld then
      a, by_rows, ld = T.clone(a), columns, columns
   end
   if not step_of(x) then x = T.clone(x) end
   local target = step_of(y) and y or T.clone(y)
   local step = step_of(target)
   local to = start_of(target)
   -- beta = 0 overwrites y, NaN included.
   if beta == 0 then
      if step == 1 then fill(to, rows * SIZE) else T.fill(target, 0) end
      beta = 1
   end
   alpha_at[0], beta_at[0], sizes[3], sizes[4], sizes[5] = alpha, beta, ld, step_of(x), step
   args[0], args[1], args[2] = start_of(a), start_of(x), to
   if by_rows then
      letters[0], sizes[0], sizes[1] = TRANSPOSED, columns, rows
   else
      letters[0], sizes[0], sizes[1] = NORMAL, rows, columns
   end
   run_gemv()
   alive(a, x, target)
   if target ~= y then T.copy_from(y, T, target) end
end

-- c = c + alpha x y' for a matrix whose rows are `ld` apart. BLAS goes column by column: x and y are exchanged.
local function add_outer(c, alpha, x, y, ld)
   local rows, columns = x._size[0], y._size[0]
   alpha_at[0] = alpha
   sizes[0], sizes[1], sizes[2], sizes[3], sizes[4] = columns, rows, ld, step_of(y), step_of(x)
   args[0], args[1], args[2] = start_of(y), start_of(x), start_of(c)
   p.fn, p.along, steps[1], steps[2] = ger, 1, SIZE * sizes[4], SIZE * ld
   share_ger(rows, 1, MATRIX * rows * columns, p)
   alive(x, y, c)
end

local multiply, multiply_data = nil, nil
if ger then multiply, multiply_data = native.raw_loop('multiply', T, T, T) end

-- Tells whether BLAS had to add a product to 0: -0 becomes 0 by that.
local function has_zero(v)
   local data, step = v._memory._data + v._offset, v._stride[0]
   for i = 0, v._size[0] - 1 do
      if get(data, i * step) == 0 then return true end
   end
   return false
end

-- c = x y' without reading c.
local function set_outer(c, x, y, ld)
   local rows, columns = x._size[0], y._size[0]
   sizes[0], sizes[5], p.fn, p.data = columns, SIZE, multiply, multiply_data
   steps[0], steps[1], steps[2] = y._stride[0] * SIZE, x._stride[0] * SIZE, ld * SIZE
   args[0], args[1], args[2] = start_of(y), start_of(x), start_of(c)
   share_outer(rows, 1, MATRIX * rows * columns, p)
   alive(x, y, c)
end

local LONG_ROW = tuning.OUTER_ROW

-- Takes any beta, and any step that BLAS can read.
local function rows_ger(c, beta, alpha, x, y, ld)
   local columns = y._size[0]
   if beta == 0 then
      if columns >= LONG_ROW and multiply and not has_zero(x) and not has_zero(y) then
         if alpha ~= 1 then x = scaled(nil, x, alpha) end
         return set_outer(c, x, y, ld)
      end
      if ld == columns then fill(start_of(c), x._size[0] * columns * SIZE) else T.fill(c, 0) end
   elseif beta ~= 1 then
      scaled(c, c, beta)
   end
   add_outer(c, alpha, x, y, ld)
end

local function blas_ger(c, beta, alpha, x, y)
   if x._size[0] > LARGEST or y._size[0] > LARGEST then too_large(x, y) end
   if T.shares(x, c) or not step_of(x) then x = T.clone(x) end
   if T.shares(y, c) or not step_of(y) then y = T.clone(y) end
   local by_rows = row_major(c, 0)
   local ld = by_rows or column_major(c, 0)
   local target = c
   if not ld then
      target, by_rows, ld = T.clone(c), y._size[0], y._size[0]
   end
   if by_rows then rows_ger(target, beta, alpha, x, y, ld) else rows_ger(target, beta, alpha, y, x, ld) end
   if target ~= c then T.copy_from(c, T, target) end
end

-- Vectors of several chunks: sums of chunks, which are then added in order.
local function dot_of_pieces(count, from_x, x_step, from_y, y_step)
   local pieces = ceil(count / PIECE)
   local sums = ffi.new('double[?]', pieces)
   p.fn, sizes[0], sizes[1], steps[0], steps[1] = dot, x_step, y_step, x_step * SIZE, y_step * SIZE
   args[0], args[1], args[2] = cast(byte_p, from_x), cast(byte_p, from_y), cast(byte_p, sums)
   share_dot(count, PIECE, MATRIX * count, p)
   local sum = 0
   for k = 0, pieces - 1 do sum = sum + get_double(sums, k) end
   return sum
end

local function blas_dot(x, y)
   if x._layout > 0 and x._layout == y._layout and x._count < 2 * PIECE then
      n[0], incx[0], incy[0] = x._count, 1, 1
      local sum = dot(n, x._memory._data + x._offset, incx, y._memory._data + y._offset, incy)
      alive(x, y)
      return (returned(sum))
   end
   -- Steps of 0, of expanded vectors, are read too.
   local x_step, y_step = x._stride[0], y._stride[0]
   if x._dim ~= 1 or x_step > LARGEST then
      x, x_step = T.contiguous(x), 1
   end
   if y._dim ~= 1 or y_step > LARGEST then
      y, y_step = T.contiguous(y), 1
   end
   local count, sum = count_of(x), 0
   local from_x, from_y = x._memory._data + x._offset, y._memory._data + y._offset
   if count >= 2 * PIECE then
      sum = dot_of_pieces(count, from_x, x_step, from_y, y_step)
   elseif count > 0 then
      n[0], incx[0], incy[0] = count, x_step, y_step
      sum = returned(dot(n, from_x, incx, from_y, incy))
   end
   alive(x, y)
   return sum
end

local function column_of(t)
   local v = T.alias(t)
   v._dim, v._size[1], v._stride[1] = 2, 1, 1
   return v
end

-- Small products: small.mv(r, beta, alpha, a, x) is r = beta r + alpha a x, nil where it does not apply; without r the
-- result is new. One comparison of layouts tells the sizes, and no value has to be kept over a call.
local small = {}

-- The leading dimension of a matrix, and whether it has rows one after the other; nil if its columns are not, either.
local function leading(t)
   local layout = t._layout
   if layout >= MATRIX_LAYOUT and layout < CUBE_LAYOUT then return t._size[1], true end
   if layout == 0 and t._dim == 2 and t._stride[0] == 1 and t._stride[1] >= t._size[0] and t._stride[1] ~= 1
      and t._stride[1] <= LARGEST and t._size[1] ~= 1 and t._memory._flags ~= FIXED then
      return t._stride[1], false
   end
end

local function is_apart(r, a, b) return r._memory ~= a._memory and r._memory ~= b._memory end

function small.mv(r, beta, alpha, a, x)
   local ld, by_rows = leading(a)
   if not ld or x._layout ~= a._size[1] or a._size[0] * x._layout >= SMALL_MATRIX then return nil end
   if not r then
      r = T.new_vector(a._size[0])
   elseif r._layout ~= a._size[0] or not is_apart(r, a, x) then
      return nil
   end
   -- What was in r must not count, even if it is nan.
   if beta == 0 then fill(start_of(r), r._count * SIZE) end
   alpha_at[0], beta_at[0], sizes[3], sizes[4], sizes[5] = alpha, beta == 0 and 1 or beta, ld, 1, 1
   args[0], args[1], args[2] = start_of(a), start_of(x), start_of(r)
   if by_rows then
      letters[0], sizes[0], sizes[1] = TRANSPOSED, a._size[1], a._size[0]
   else
      letters[0], sizes[0], sizes[1] = NORMAL, a._size[0], a._size[1]
   end
   gemv(letters, sizes, sizes + 1, p.scales, args[0], sizes + 3, args[1], sizes + 4, p.scales + 1, args[2],
      sizes + 5)
   alive(a, x, r)
   return r
end

function small.mm(r, beta, alpha, a, b)
   local ld_a, a_rows = leading(a)
   local ld_b, b_rows = leading(b)
   if not (ld_a and ld_b) or a._size[1] ~= b._size[0]
      or a._size[0] * b._size[0] * b._size[1] >= SMALL_MATRICES then
      return nil
   end
   if not r then
      r = T.new_matrix(a._size[0], b._size[1])
   elseif r._layout ~= matrix_layout(a._size[0], b._size[1]) or not is_apart(r, a, b) then
      return nil
   end
   local own = (beta == 0 or beta == 1) and code_for(a._size[0], b._size[1], a._size[1])
   if own then
      finish_trace()
      run_here(own, not a_rows, not b_rows, a._size[0], b._size[1], a._size[1], alpha, start_of(a), ld_a, start_of(b),
         ld_b, beta == 1, start_of(r), b._size[1])
      alive(a, b, r)
      return r
   end
   alpha_at[0], beta_at[0] = alpha, beta
   letters[0], letters[1] = b_rows and NORMAL or TRANSPOSED, a_rows and NORMAL or TRANSPOSED
   sizes[0], sizes[1], sizes[2] = b._size[1], a._size[0], a._size[1]
   sizes[3], sizes[4], sizes[5] = ld_b, ld_a, b._size[1]
   args[0], args[1], args[2] = start_of(b), start_of(a), start_of(r)
   local small_fn = driver(sizes[0], sizes[1], sizes[2], not b_rows, not a_rows)
   if small_fn then
      run_driver(small_fn, sizes[0], sizes[1], sizes[2], alpha_at, args[0], ld_b, args[1], ld_a, beta_at, args[2],
         sizes[5])
   else
      gemm(letters, letters + 1, sizes, sizes + 1, sizes + 2, p.scales, args[0], sizes + 3, args[1], sizes + 4,
         p.scales + 1, args[2], sizes + 5)
   end
   alive(a, b, r)
   return r
end

-- Of rows so short that they are cleared and added to.
function small.ger(r, beta, alpha, x, y)
   local rows, columns = x._layout, y._layout
   if rows == 0 or rows >= MATRIX_LAYOUT or columns == 0 or columns >= LONG_ROW or rows * columns >= SMALL_MATRIX then
      return nil
   end
   if not r then
      r = T.new_matrix(rows, columns)
   elseif r._layout ~= matrix_layout(rows, columns) or not is_apart(r, x, y) then
      return nil
   end
   if beta == 0 then
      fill(start_of(r), r._count * SIZE)
   elseif beta ~= 1 then
      scaled(r, r, beta)
   end
   alpha_at[0] = alpha
   sizes[0], sizes[1], sizes[2], sizes[3], sizes[4] = y._layout, x._layout, y._layout, 1, 1
   args[0], args[1], args[2] = start_of(y), start_of(x), start_of(r)
   ger(sizes, sizes + 1, p.scales, args[0], sizes + 3, args[1], sizes + 4, args[2], sizes + 2)
   alive(x, y, r)
   return r
end

blas.small = gemm and gemv and ger and small or {}

blas.gemm = gemm and blas_gemm or loader.specialise('torch.linalg.integer_products', T).gemm

function blas.each(c, beta, alpha, a, b)
   -- Views that move on from product to product.
   local z, x, y = T.select_view(c, 0, 0), T.select_view(a, 0, 0), T.select_view(b, 0, 0)
   for _ = 1, a._size[0] do
      blas.gemm(z, beta, alpha, x, y)
      z._offset, x._offset = z._offset + c._stride[0], x._offset + a._stride[0]
      y._offset = y._offset + b._stride[0]
   end
end

blas.batch = gemm and blas_batch or blas.each

blas.gemv = gemv and blas_gemv or function(y, beta, alpha, a, x)
   blas.gemm(column_of(y), beta, alpha, a, column_of(x))
end

blas.ger = ger and blas_ger or loader.specialise('torch.linalg.integer_products', T).ger

-- The sum of the products of the elements of two tensors that have some.
blas.dot = dot and blas_dot or loader.specialise('torch.linalg.integer_products', T).dot

return blas

end
