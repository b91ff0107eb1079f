-- The functions of the C library that the other files call, and its errors as Lua functions report them.

local ffi = require 'ffi'
local declare = require('torch.core.cdef').declare
local format, string_of = string.format, ffi.string
local errno, jit = ffi.errno, jit

local posix = { windows = jit.os == 'Windows', mac = jit.os == 'OSX' }

declare [[
char *strerror(int number);
char *getcwd(char *buffer, size_t size);
int access(const char *name, int mode);
int rmdir(const char *name);
]]
if posix.windows then
   declare 'int _mkdir(const char *name);'
else
   declare [[
   int mkdir(const char *name, unsigned int mode);
   long readlink(const char *name, char *buffer, size_t size);
   void *opendir(const char *name);
   void *readdir(void *folder);
   int closedir(void *folder);
   int uname(void *names);
   ]]
end

local C = ffi.C
local LONGEST = 4096
local buffer = ffi.new('char[?]', LONGEST)

-- What a C function left behind: nil, a message with the name, and the number of the error.
function posix.failed(name)
   local number = errno()
   return nil, format('%s: %s', name, string_of(C.t7_strerror(number))), number
end

function posix.cwd()
   if C.t7_getcwd(buffer, LONGEST) == nil then return nil end
   return string_of(buffer)
end

-- The target of a symbolic link; nil for anything else.
function posix.link_target(name)
   if posix.windows then return nil end
   local length = tonumber(C.t7_readlink(name, buffer, LONGEST))
   return length >= 0 and string_of(buffer, length) or nil
end

function posix.exists(name)
   return C.t7_access(name, 0) == 0
end

function posix.make_folder(name)
   if posix.windows then return C.t7__mkdir(name) == 0 end
   return C.t7_mkdir(name, 511) == 0      -- 0777 in octal, less what the umask takes
end

function posix.remove_folder(name)
   return C.t7_rmdir(name) == 0
end

return posix
