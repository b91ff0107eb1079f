-- The machine and the user: home, execdir, uname, is_win, is_mac, findprogram, getregistryvalue.

local ffi = require 'ffi'
local libc = require 'torch.native.libc'
local posix = require 'paths.posix'
local getenv = os.getenv
local raise = require('torch.base.errors').raise

return function(paths)
   paths.home = getenv('HOME') or getenv('USERPROFILE') or '.'

   -- The folder of the program that runs, where the system tells; else nil.
   function paths.execdir()
      local program = posix.link_target('/proc/self/exe')
      return program and paths.dirname(program) or nil
   end

   -- The name of the system, of the machine in the network, and of its processor.
   function paths.uname()
      if posix.windows then
         return 'Windows', getenv('COMPUTERNAME') or '', getenv('PROCESSOR_ARCHITECTURE') or ''
      end
      local length = posix.mac and 256 or 65      -- of each of the names in the C structure
      local names = ffi.new('char[?]', 8 * length)
      if libc.t7_uname(names) ~= 0 then return nil end
      return ffi.string(names), ffi.string(names + length), ffi.string(names + 4 * length)
   end

   function paths.is_win()
      return posix.windows or nil
   end

   function paths.is_mac()
      return posix.mac or nil
   end

   -- The full name of the first of the given programs that the PATH holds; nil if it holds none.
   function paths.findprogram(...)
      local separator = posix.windows and '[^;]+' or '[^:]+'
      for i = 1, select('#', ...) do
         local name = (select(i, ...))
         if type(name) ~= 'string' then
            raise('paths.findprogram: argument 1 must be the name of a program (got ' .. type(name) .. ')')
         end
         if string.find(name, '/') then
            if paths.filep(name) then return paths.concat(name) end
         else
            for folder in string.gmatch(getenv('PATH') or '', separator) do
               local candidate = paths.concat(folder, name)
               if paths.filep(candidate) then return candidate end
            end
         end
      end
      return nil
   end

   function paths.getregistryvalue()
      raise('paths.getregistryvalue: This function exists only on windows')
   end
end
