-- Constants measured on one machine, for adjustment to others; the modules that use them explain them. All of them
-- change the speed; those of the first two groups and of products also divide work, and so may change last bits.

return {
   -- Copies.
   PLANE = 2 ^ 15,                              -- elements of a plane that is not copied together with others
   SHARED_BYTES = 2 ^ 18,                       -- copies of fewer bytes are not shared

   -- Blocks that fit the L1 or L2 cache, in elements.
   FILL_CHUNK = 512,                            -- filled by doubling; longer runs are copies of the first ones

   -- Thresholds at which another algorithm is faster, in elements unless noted.
   APPLY_UNROLLED = 32,                         -- fewer have a separate loop
   KEPT_ROWS_BYTES = 2 ^ 19,                    -- copies of rows of up to this size use kept memory
   COPY_KERNEL_MIN = 256,                       -- fewer elements are copied by a loop in Lua

   -- Systems of equations (linalg/).
   SOLVE_MIN = 64,                            -- order of a matrix whose equations are shared

   -- Memory, in bytes.
   INLINE_BYTES = 4096,                         -- larger memory is a block of malloc
   CACHED_BYTES = 128 * 2 ^ 20,                 -- of blocks that are kept
   MIN_BUDGET = 24 * 2 ^ 20,                  -- allocations between collections: at least
   MAX_BUDGET = 192 * 2 ^ 20,                  -- at most
   BYTES_PER_BYTE = 12,                         -- and for a byte of Lua's heap
   HEAP_GROWTH = 12 * 2 ^ 20, HEAP_PAUSE = 200, -- growth of Lua's heap between cycles; per cent
   HEAP_STEP = 5000,                            -- work of its collector beside what is allocated; per cent
}
