-- A channel: values to and from a process, kept apart by their kinds. Values of other kinds than requested are queued.

local remove, require, setmetatable = table.remove, require, setmetatable
local torch = require 'torch'
local keep_alive = require('torch.memory.buffers').keep_alive
local exchange, host = require 'torch.utility.exchange', require('torch.native.host').of 'parallel'

local channel = {}
local Channel = {}
Channel.__index = Channel

-- Returns the channel of a peer. `failed` is called with the reason when no more comes.
function channel.new(peer, failed)
   return setmetatable({ peer = peer, waiting = {}, failed = failed }, Channel)
end

function Channel:send(kind, value)
   local storage = torch.serializeToStorage { kind = kind, value = value }
   host.send(self.peer, exchange.address(torch.CharTensor(storage)), storage:size())
   keep_alive(storage)
end

-- Returns the next value of one of the kinds, a set, and its kind; nil if there is none and this may not wait.
function Channel:receive(kinds, no_wait)
   local waiting = self.waiting
   for i = 1, #waiting do
      if kinds[waiting[i].kind] then
         local message = remove(waiting, i)
         return message.value, message.kind
      end
   end
   while true do
      local text, reason = host.receive(self.peer, not no_wait)
      if not text then
         if reason then self.failed(reason) end
         return nil
      end
      local message = torch.deserialize(text)
      if message.kind == 'error' then self.failed(message.value, true) end
      if kinds[message.kind] then return message.value, message.kind end
      waiting[#waiting + 1] = message
   end
end

return channel
