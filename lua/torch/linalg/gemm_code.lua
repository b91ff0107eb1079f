-- Machine code of products of matrices of Floats and doubles; packed_run.lua says how they are put together. See
-- docs/decisions/0030-products.md.
--
--    gemm_code.of(T)          a t7_gemm_code, which stays; its functions are NULL where there is no machine code
--    gemm_code.chooser(T)     f(m, n, k): the code for a product of that size, nil where BLAS computes it
--
-- The functions are of a t7_gemm_call. `tiles`, by rows and vectors, compute blocks of a panel of the result: sums in
-- registers over `k` steps. Those of panel_code.lua make panels. `sweep`, of a t7_gemm_sweep, calls all of them for
-- panel after panel.

local cast = require('ffi').cast
local assembler, aligned = require 'torch.native.assembler', require 'torch.native.aligned'
local host = require 'torch.native.host'
local row_addresses, packed_gemm = require 'torch.native.row_addresses', require 'torch.linalg.packed_gemm'
local panel_code = require 'torch.linalg.panel_code'
local row, get_rows = row_addresses.of, row_addresses.get

-- Code is made once: compiling what makes it takes longer.
jit.off(true, true)

local gemm_code = {}

local ROWS, LEAST_ROWS, VECTORS = packed_gemm.ROWS, packed_gemm.LEAST_ROWS, packed_gemm.VECTORS

local RAX, RCX, RBX, RBP, RSI, RDI = 0, 1, 3, 5, 6, 7
local A, B, C, A_STEP, B_STEP, A_BLOCK, C_BLOCK, K, COUNT, A_ROW, C_ROW, MASK, ALPHA, ADD, RUN =
   0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 96, 120, 128, 136, 144
local AHEAD, AHEAD_STEP, AHEAD_LINE, AHEAD_TURN, AHEAD_UNTIL = 152, 160, 168, 176, 184
local PACK, FIRST, REST, PANELS, STEP, PANEL_STEP = 0, 192, 384, 576, 584, 592
local SAVED, SWEEP_SAVED = { RBX, RBP, 12, 13, 14, 15 }, { 14, 15 }
local VECTOR, UNROLLED = packed_gemm.VECTOR, 2

-- Stores the sums of a vector of each row to the rows at R13: added or not, all of it or some.
local function store(code, m, n, j, add, some)
   for i = 0, m - 1 do
      local s, to = i * n + j, row(13, i, VECTOR * j)
      if some then
         if add then code:load_some(12, 15, to) else code:clear(12, 12, 12) end
         code:multiply_add(s, 14, 12)
         code:store_some(s, 15, to)
      else
         if add then code:multiply_add(s, 14, to) else code:multiply(s, s, 14) end
         code:store(s, to)
      end
   end
end

-- The same for all vectors, of which the last may have a mask.
local function store_all(code, m, n, add, done)
   local all = {}
   for j = 0, n - 2 do store(code, m, n, j, add) end
   code:get(RAX, RDI, MASK)
   code:with_number('compare', RAX, 0)
   code:jump('jz', all)
   code:load(15, { base = RAX })
   store(code, m, n, n - 1, add, true)
   code:jump('always', done)
   code:place(all)
   store(code, m, n, n - 1, add)
end

local function tile(code, n, m)
   code:keep(SAVED)
   code:get(11, RDI, A)
   code:get(13, RDI, C)
   code:get(12, RDI, COUNT)
   code:get(8, RDI, A_STEP)
   code:get(9, RDI, B_STEP)
   code:get(10, RDI, AHEAD)
   code:get(15, RDI, AHEAD_STEP)
   code:get(14, RDI, AHEAD_LINE)
   local again = code:place {}
   for r = 0, m * n - 1 do code:clear(r, r, r) end
   get_rows(code, C_ROW)
   for i = 0, m - 1 do code:prefetch(row(13, i)) end
   get_rows(code, A_ROW)
   code:copy(RSI, 11)
   code:get(RCX, RDI, B)
   code:get(RAX, RDI, K)
   local step, same, more = nil, {}, {}
   code:repeatedly(RAX, UNROLLED, function()
      local start = code.count
      for j = 0, n - 1 do code:load(12 + j, { base = RCX, offset = VECTOR * j }) end
      for i = 0, m - 1 do
         local a = 14 + i % 2
         code:spread(a, row(RSI, i))
         for j = 0, n - 1 do code:add_product(i * n + j, a, 12 + j) end
      end
      code:increase(RSI, 8)
      code:increase(RCX, 9)
      step = code:since(start)
      for _ = 2, UNROLLED do code:emit(step) end
      code:prefetch { base = 10 }
      code:increase(10, 15)
      code:with_number('subtract', 14, 1)
      code:jump('jnz', same)
      code:get(14, RDI, AHEAD_LINE)
      code:increase(10, { base = RDI, offset = AHEAD_TURN })
      code:place(same)
   end)
   code:repeatedly(RAX, 1, function() code:emit(step) end)
   get_rows(code, C_ROW)
   code:get(RAX, RDI, ALPHA)
   code:spread(14, { base = RAX })
   code:get(RAX, RDI, ADD)
   local added, done = {}, {}
   code:with_number('compare', RAX, 0)
   code:jump('jnz', added)
   store_all(code, m, n, false, done)
   code:jump('always', done)
   code:place(added)
   store_all(code, m, n, true, done)
   code:place(done)
   code:increase(11, { base = RDI, offset = A_BLOCK })
   code:increase(13, { base = RDI, offset = C_BLOCK })
   code:with_number('subtract', 12, 1)
   code:compare_with(12, { base = RDI, offset = AHEAD_UNTIL })
   code:jump('jnz', more)
   code:with_number('and', 15, 0)
   code:place(more)
   code:with_number('compare', 12, 0)
   code:jump('jnz', again)
   code:leave(SAVED)
end

local function sweep(code)
   code:keep(SWEEP_SAVED)
   code:copy(15, RDI)
   code:get(14, RDI, PANELS)
   local again = code:place {}
   for _, call in ipairs { PACK, FIRST, REST } do
      local none = {}
      code:get(RAX, 15, call + RUN)
      code:with_number('compare', RAX, 0)
      code:jump('jz', none)
      code:copy(RDI, 15)
      code:with_number('add', RDI, call)
      code:call_at(15, call + RUN)
      code:place(none)
   end
   code:get(RAX, 15, STEP)
   for _, field in ipairs { PACK + A, FIRST + AHEAD, REST + AHEAD } do code:increase_at(15, field, RAX) end
   code:get(RAX, 15, PANEL_STEP)
   for _, field in ipairs { PACK + C, FIRST + B, REST + B } do code:increase_at(15, field, RAX) end
   for _, call in ipairs { FIRST, REST } do
      code:get(RAX, 15, call + C)
      code:with_number('add', RAX, VECTORS * VECTOR)
      code:set(15, call + C, RAX)
   end
   code:with_number('subtract', 14, 1)
   code:jump('jnz', again)
   code:leave(SWEEP_SAVED)
end

local function make(T, known)
   local code, functions = assembler.new(T), {}
   local function add(list, i, function_of, ...)
      code:align()
      functions[#functions + 1] = { list, i, code.size }
      function_of(code, ...)
   end
   for n = 1, VECTORS do
      add(known.pack, n - 1, panel_code.pack, n)
      add(known.turn, n - 1, panel_code.turn, n)
      for m = LEAST_ROWS, ROWS do add(known.tiles, (n - 1) * ROWS + m - 1, tile, n, m) end
   end
   add(known, 'gather', panel_code.gather)
   add(known, 'sweep', sweep)
   local start = code:finish()
   if start == nil then return end
   for _, f in ipairs(functions) do f[1][f[2]] = cast('char *', start) + f[3] end
   known.ready = 1
end

local made = {}

-- OpenBLAS's kernels for vectors of 512 bits are faster.
function gemm_code.of(T)
   local known = made[T.name]
   if known then return known end
   known = aligned('t7_gemm_code', 1)
   made[T.name] = known
   known.small = host.small_products() and 1 or 0
   if (T.name == 'Float' or T.name == 'Double') and known.small == 0 and assembler.possible() then make(T, known) end
   return known
end

local is_large = packed_gemm.is_large

function gemm_code.chooser(T)
   local code
   local function choose(m, n, k)
      if not is_large(m, n, k) then return nil end
      code = code or gemm_code.of(T)
      return code.ready == 1 and code or nil
   end
   jit.on(choose)
   return choose
end

-- Programs call it for each product.
jit.on(gemm_code.of)

return gemm_code
