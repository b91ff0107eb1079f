-- Memory between pages that nobody may touch: one element too far, and the process dies where it happened.
-- The module is false where mmap is not that of Linux.

local ffi = require 'ffi'
if ffi.os ~= 'Linux' then return false end

local buffers = require 'torch.memory.buffers'

ffi.cdef [[
void *mmap(void *address, size_t length, int protection, int flags, int file, long offset);
int mprotect(void *address, size_t length, int protection);
]]

local PAGE = 65536
local NONE, READ_WRITE, PRIVATE_ANONYMOUS = 0, 3, 0x22

local guarded = { bytes = PAGE }

-- Regions are used in turn: by the time one comes again, its former tensors are long out of use.
local COUNT = 256
local base = ffi.cast('char *', ffi.C.mmap(nil, (2 * COUNT + 1) * PAGE, NONE, PRIVATE_ANONYMOUS, -1, 0))
assert(ffi.cast('intptr_t', base) ~= -1, 'mmap failed')
for k = 0, COUNT - 1 do
   assert(ffi.C.mprotect(base + (2 * k + 1) * PAGE, PAGE, READ_WRITE) == 0, 'mprotect failed')
end

local turn = 0

-- A storage of n elements that ends, or begins, at a page that may not be touched.
function guarded.storage(T, n, at_end)
   turn = (turn + 1) % COUNT
   local page = base + (2 * turn + 1) * PAGE
   local data = ffi.cast(T.pointer_ct, at_end and page + PAGE - n * T.size or page)
   -- What another type left here may be no number.
   ffi.fill(data, n * T.size)
   return T.wrap_storage(buffers.foreign(T, data, n, true))
end

return guarded
