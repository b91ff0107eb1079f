-- One end of a connection between a client and a server. Tensors go from memory to memory; other values as
-- torch.serialize writes them.

local concat, require, setmetatable, tostring, unpack = table.concat, require, setmetatable, tostring, unpack
local torch = require 'torch'
local check, types = require 'torch.base.check', require 'torch.base.types'
local elements, exchange = require 'mpi.elements', require 'torch.utility.exchange'
local geometry, host = require 'torch.base.geometry', require('torch.native.host').of 'ipc'
local address, keep_alive = elements.address, elements.keep_alive

local Connection = {}
Connection.__index = Connection

-- `number` is the one that a server gives its clients.
local function new_connection(handle, number)
   return setmetatable({ _handle = handle, _number = number, _tag = nil }, Connection)
end

-- The type of a tensor that is sent as it lies in memory, nil for other values.
local function plain_type(value)
   local T = types.of_tensor(value)
   return T and types.by_name[T.name] == T and T or nil
end

-- Sends a tensor, or any value that torch.serialize takes. Blocks until the other side receives. Returns why it
-- failed.
local function send(self, value)
   local T = plain_type(value)
   local reason
   if T then
      local whole, _, bytes = elements.contiguous(value)
      local sizes = {}
      for d = 1, whole:dim() do sizes[d] = whole:size(d) end
      -- One without dimensions has the size 0.
      if not sizes[1] then sizes[1] = 0 end
      reason = host.send(self._handle, T.name, address(whole), bytes, unpack(sizes))
      keep_alive(whole)
   else
      local storage, at, bytes = elements.packed(value)
      reason = host.send(self._handle, '', at, bytes)
      keep_alive(storage)
   end
   return reason
end

function Connection:send(value)
   local reason = send(self, value)
   if reason then check.fail('client:send', '%s', reason) end
end

local function read_body(self, at, bytes)
   local reason = host.body(self._handle, at, bytes)
   if reason then check.fail('client:recv', '%s', reason) end
end

local function shown(name, sizes)
   if name == '' then return 'another value' end
   local words = {}
   for d = 1, #sizes do words[d] = tostring(sizes[d]) end
   return string.format('%sTensor of size %s', name, concat(words, 'x'))
end

local function product_of(sizes)
   local count = 1
   for d = 1, #sizes do count = count * sizes[d] end
   return count
end

-- Fills t with the elements of the received tensor.
local function fill(self, t, name, bytes, sizes)
   local T = plain_type(t)
   if not T then check.argument_error('client:recv', 'argument 1', 'a tensor', t) end
   if T.name ~= name or geometry.numel(t) * T.size ~= bytes then
      check.fail('client:recv', 'expected %sTensor of %.0f elements (got %s)', T.name, geometry.numel(t),
         shown(name, sizes))
   end
   local whole, copied = elements.contiguous(t)
   read_body(self, address(whole), bytes)
   exchange.cleaned(whole)
   keep_alive(whole)
   if copied then t:copy(whole) end
   return t
end

local function receive(self, t, name, bytes, ...)
   if not name then check.fail('client:recv', '%s', bytes) end
   local sizes = { ... }
   if t ~= nil then return fill(self, t, name, bytes, sizes) end
   if name == '' then
      local storage = torch.CharStorage(bytes)
      read_body(self, address(torch.CharTensor(storage)), bytes)
      keep_alive(storage)
      return torch.deserializeFromStorage(storage)
   end
   local T = types.by_name[name]
   if not T or product_of(sizes) * T.size ~= bytes then
      self:close()
      check.fail('client:recv', 'the received bytes are not a message of ipc')
   end
   local made = exchange.new_tensor(torch, name, unpack(sizes))
   return fill(self, made, name, bytes, sizes)
end

-- Waits for what the other side sends, and returns it. With a tensor, fills that: a tensor of its type and of as many
-- elements must come. After an error about that, the message is still there.
function Connection:recv(t) return (receive(self, t, host.head(self._handle))) end

-- The number that the server has given the client, from 1; nil at the client.
function Connection:id() return self._number end

-- Sets the word by which server:clients and server:broadcast choose clients, and returns it.
function Connection:tag(tag)
   if tag ~= nil then self._tag = check.kind('client:tag', 'tag', tag, 'string') end
   return self._tag
end

-- Bytes that were sent and received.
function Connection:netStats()
   local sent, received = host.traffic(self._handle)
   return { bytes_sent = sent, bytes_received = received }
end

function Connection:close()
   self._closed = true
   host.close(self._handle)
end

function Connection:__tostring() return 'ipc client' .. (self._number and ' ' .. self._number or '') end

return { new = new_connection, send = send }
