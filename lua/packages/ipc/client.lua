-- ipc.client([host,] port [, seconds]): connects to a server, by default on this machine. The server may begin to
-- listen within this number of seconds, 10 by default.

local check = require 'torch.base.check'
local connection = require 'ipc.connection'
local host = require('torch.native.host').of 'ipc'

local SECONDS = 10

return function(name, port, seconds)
   if type(name) == 'number' then name, port, seconds = '127.0.0.1', name, port end
   check.kind('ipc.client', 'host', name, 'string')
   check.integer('ipc.client', 'port', port, 1, 65535)
   if seconds ~= nil then check.number('ipc.client', 'seconds', seconds) end
   local handle, reason = host.connect(name, port, seconds or SECONDS)
   if not handle then check.fail('ipc.client', '%s', reason) end
   return connection.new(handle)
end
