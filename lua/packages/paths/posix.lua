-- C library functions used by the other files, and their errors as Lua functions report them.

local ffi = require 'ffi'
local string_of = ffi.string
local errno = ffi.errno

local posix = { windows = jit.os == 'Windows', mac = jit.os == 'OSX' }

local libc = require 'torch.native.libc'
local MAX_PATH = 4096
local buffer = ffi.new('char[?]', MAX_PATH)

-- The error of a C function: nil, a message with the name, and its number.
function posix.failed(name)
   local number = errno()
   return nil, string.format('%s: %s', name, string_of(libc.t7_strerror(number))), number
end

-- The current folder; where it was removed nil, a message and a number.
function posix.cwd()
   if libc.t7_getcwd(buffer, MAX_PATH) == nil then return posix.failed('the current folder') end
   return string_of(buffer)
end

-- The target of a symbolic link; nil for anything else.
function posix.link_target(name)
   if posix.windows then return nil end
   local length = tonumber(libc.t7_readlink(name, buffer, MAX_PATH))
   return length >= 0 and string_of(buffer, length) or nil
end

function posix.exists(name)
   return libc.t7_access(name, 0) == 0
end

function posix.make_folder(name)
   if posix.windows then return libc.t7_mkdir(name) == 0 end
   return libc.t7_mkdir(name, 511) == 0      -- 0777 in octal, less what the umask takes
end

function posix.remove_folder(name)
   return libc.t7_rmdir(name) == 0
end

return posix
