-- The program of a child: runs the jobs of its parent, until the parent closes it.

local exit, format, io, require, tostring, type, xpcall = os.exit, string.format, io, require, tostring, type, xpcall
local host = require('torch.native.host').of 'parallel'
local channel, code = require 'parallel.channel', require 'parallel.code'
local parallel, traceback = require 'parallel', require 'shell.traceback'
local WORK = { exec = true, join = true, sync = true }

-- The text of an error, with its traceback.
local function described(reason)
   if type(reason) ~= 'table' then return tostring(reason) end
   return tostring(reason.message) .. '\n' .. tostring(reason.traceback)
end

return function(descriptor)
   local up = channel.new(host.attach(descriptor), function() exit(0) end)
   local begun = up:receive { begin = true }
   package.path, package.cpath = begun.path, begun.cpath
   require('torch').setnumthreads(1)
   -- Keeps lines that several processes print at once from mixing.
   io.stdout:setvbuf 'line'
   parallel._become(begun.id, up)
   require('shell.breakpoints').reject 'a process of parallel'
   while true do
      local value, kind = up:receive(WORK)
      if kind == 'exec' then
         local ok, reason = xpcall(function() code.unpack(value)() end, traceback)
         if not ok then
            up:send('error', format('%s', described(reason)))
            exit(1)
         end
      else
         up:send(kind .. 'ed', true)
      end
   end
end
