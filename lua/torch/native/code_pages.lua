-- Pages that hold machine code. They stay until the state is closed: finalizers of programs, which run last of all,
-- may call the code.
--
--    code_pages.new(length)            pages to write to, as bytes; nil if there is no memory
--    code_pages.seal(block, length)    makes them executable; false, and they are gone, where the system refuses
--    code_pages.release_all()          at the end of the state

local ffi = require 'ffi'
local libc = require 'torch.native.libc'
local cast = ffi.cast

local code_pages = {}

local READ_WRITE, READ_EXECUTE, PRIVATE = 3, 5, jit.os == 'OSX' and 0x1002 or 0x22

local sealed = {}

function code_pages.new(length)
   local block = libc.t7_mmap(nil, length, READ_WRITE, PRIVATE, -1, 0)
   return cast('intptr_t', block) ~= -1 and cast('uint8_t *', block) or nil
end

function code_pages.seal(block, length)
   if libc.t7_mprotect(block, length, READ_EXECUTE) ~= 0 then
      libc.t7_munmap(block, length)
      return false
   end
   sealed[#sealed + 1] = { block, length }
   return true
end

function code_pages.release_all()
   for _, pages in ipairs(sealed) do libc.t7_munmap(pages[1], pages[2]) end
end

return code_pages
