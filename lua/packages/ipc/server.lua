-- ipc.server([host [, port]]): listens on a port, by default on any that is free of this machine's own address. Returns
-- the server and its port.

local remove, unpack = table.remove, unpack
local check = require 'torch.base.check'
local connection = require 'ipc.connection'
local host = require('torch.native.host').of 'ipc'

local Server = {}
Server.__index = Server

-- The clients that were not closed.
local function live_clients(self)
   local list = self._clients
   for i = #list, 1, -1 do
      if list[i]._closed then remove(list, i) end
   end
   return list
end

-- Waits until this number of clients is connected.
local function wait_for(self, count)
   while #live_clients(self) < count do
      local handle, reason = host.accept(self._listener)
      if not handle then check.fail('server:clients', '%s', reason) end
      self._last = self._last + 1
      self._clients[#self._clients + 1] = connection.new(handle, self._last)
   end
end

-- clients([count,] [tag,] f [, reversed]): waits until `count` clients are connected, and calls f(client) for each, in
-- the order in which they connected or in reverse; with a tag only for those that have it.
function Server:clients(count, tag, f, reversed)
   if type(count) ~= 'number' then count, tag, f, reversed = 0, count, tag, f end
   if type(tag) ~= 'string' and tag ~= nil then tag, f, reversed = nil, tag, f end
   check.integer('server:clients', 'number of clients', count, 0)
   check.callable('server:clients', 'function', f)
   wait_for(self, count)
   -- A copy, since f may close some.
   local list = { unpack(live_clients(self)) }
   local first, last, step = 1, #list, 1
   if reversed then first, last, step = #list, 1, -1 end
   for i = first, last, step do
      if tag == nil or list[i]:tag() == tag then f(list[i]) end
   end
end

-- Sends a value to all clients; to those with a tag, or to all but one client. A client that has closed its connection
-- is removed, whether or not the system has noticed that yet, so that the values for the others do not depend on it.
function Server:broadcast(value, which)
   for _, client in ipairs(live_clients(self)) do
      if which == nil or (type(which) == 'string' and client:tag() == which) or
         (type(which) ~= 'string' and client ~= which) then
         local reason = connection.send(client, value)
         if reason == 'interrupted' then check.fail('server:broadcast', '%s', reason) end
         if reason then client:close() end
      end
   end
end

-- Waits for a value of any client; returns it and the client. With a tensor, fills that. A client that has closed its
-- connection is removed; if it was the last one, that is an error.
function Server:recvAny(t)
   while true do
      local clients, handles = live_clients(self), {}
      if #clients == 0 then check.fail('server:recvAny', 'no client is connected') end
      for i, client in ipairs(clients) do handles[i] = client._handle end
      local index, reason = host.ready(unpack(handles))
      if not index then check.fail('server:recvAny', '%s', reason) end
      local client = clients[index]
      local there, why = host.head(client._handle)
      if there then return client:recv(t), client end
      if why == 'interrupted' then check.fail('server:recvAny', '%s', why) end
      client:close()
   end
end

-- Bytes that were sent to all clients, and received from them.
function Server:netStats()
   local total = { bytes_sent = 0, bytes_received = 0 }
   for _, client in ipairs(live_clients(self)) do
      local stats = client:netStats()
      for name, count in pairs(stats) do total[name] = total[name] + count end
   end
   return total
end

-- Closes the connections of all clients, and the port.
function Server:close()
   for _, client in ipairs(live_clients(self)) do client:close() end
   host.close(self._listener)
end

function Server:__tostring() return 'ipc server' end

return function(name, port)
   if type(name) == 'number' then name, port = nil, name end
   name = name or '127.0.0.1'
   check.kind('ipc.server', 'host', name, 'string')
   if port ~= nil then check.integer('ipc.server', 'port', port, 0, 65535) end
   local listener, found = host.listen(name, port or 0)
   if not listener then check.fail('ipc.server', '%s', found) end
   return setmetatable({ _listener = listener, _clients = {}, _last = 0 }, Server), found
end
