-- Messages from one rank to another, and asynchronous work: requests, which `mpi.wait` completes.

local torch = require 'torch'
local check, elements = require 'torch.base.check', require 'mpi.elements'
local address, keep_alive, of_tensor = elements.address, elements.keep_alive, elements.of_tensor

return function(mpi, host, largest_tag)
   local size = mpi.size()

   local function check_rank(name, what, rank) return check.integer(name, what, rank, 0, size - 1) end
   local function check_tag(name, tag) return check.integer(name, 'tag', tag or 0, 0, largest_tag) end

   -- mpi.anyRank and mpi.anyTag are -1.
   local function check_source(name, rank, tag)
      return check.integer(name, 'rank of the sender', rank, -1, size - 1),
         check.integer(name, 'tag', tag or 0, -1, largest_tag)
   end

   -- Sends a tensor or another value to a rank.
   function mpi.send(value, to, tag)
      to, tag = check_rank('mpi.send', 'rank of the receiver', to), check_tag('mpi.send', tag)
      local reason
      if of_tensor(value) then
         local whole, _, bytes = elements.contiguous(value)
         reason = host.send(address(whole), bytes, to, tag)
         keep_alive(whole)
      else
         local storage, at, bytes = elements.packed(value)
         reason = host.send_value(at, bytes, to, tag)
         keep_alive(storage)
      end
      if reason then check.fail('mpi.send', '%s', reason) end
   end

   local function receive_value(name, from, tag)
      local text, sender = host.receive_value(from, tag)
      if not text then check.fail(name, '%s', sender) end
      return torch.deserialize(text), sender
   end

   -- mpi.recv(t, from, tag) fills a tensor; mpi.recv(from, tag) returns another value. Both return the sender, too.
   function mpi.recv(t, from, tag)
      if not of_tensor(t) then return receive_value('mpi.recv', check_source('mpi.recv', t, from)) end
      from, tag = check_source('mpi.recv', from, tag)
      local whole, copied, bytes = elements.contiguous(t)
      local sender, reason = host.receive(address(whole), bytes, from, tag)
      keep_alive(whole)
      if not sender then check.fail('mpi.recv', '%s', reason) end
      if copied then t:copy(whole) end
      return t, sender
   end

   local Request = {}
   Request.__index = Request
   -- Keeps the memory of requests, whether or not the program keeps them.
   local pending = {}
   mpi._pending = pending

   -- `finish` returns the results of `wait`.
   local function new_request(name, handle, reason, memory, bytes, finish)
      if handle == nil then check.fail(name, '%s', reason) end
      local request = setmetatable({ _handle = handle, _bytes = bytes, _finish = finish }, Request)
      pending[request] = memory
      return request
   end

   -- Waits until a request is done. Returns the message received, and the sender.
   function Request:wait()
      if self._done then return self._value, self._sender end
      local sender, reason
      if self._handle then
         sender, reason = host.wait(self._handle, self._bytes)
         self._handle, pending[self] = false, nil
         if not sender then check.fail('mpi.wait', '%s', reason) end
      end
      self._value, self._sender = self._finish(sender)
      self._done, self._finish, pending[self] = true, nil, nil
      return self._value, self._sender
   end

   function mpi.wait(request)
      if getmetatable(request) ~= Request then check.argument_error('mpi.wait', 'argument 1', 'a request', request) end
      return request:wait()
   end

   -- Begins to send; the tensor must not change until `wait`. Other values are copied at once.
   function mpi.isend(value, to, tag)
      to, tag = check_rank('mpi.isend', 'rank of the receiver', to), check_tag('mpi.isend', tag)
      if of_tensor(value) then
         local whole, _, bytes = elements.held(value)
         local handle, reason = host.start_send(address(whole), bytes, to, tag)
         return new_request('mpi.isend', handle, reason, whole, nil, function() return value end)
      end
      local storage, at, bytes = elements.packed(value)
      local handle, reason = host.start_send_value(at, bytes, to, tag)
      keep_alive(storage)
      return new_request('mpi.isend', handle, reason, true, nil, function() return value end)
   end

   -- Begins to receive into a tensor, which has its elements after `wait`. Without one, `wait` receives a value.
   function mpi.irecv(t, from, tag)
      if not of_tensor(t) then
         local source, its_tag = check_source('mpi.irecv', t, from)
         return new_request('mpi.irecv', false, nil, true, nil, function()
            return receive_value('mpi.wait', source, its_tag)
         end)
      end
      from, tag = check_source('mpi.irecv', from, tag)
      local whole, copied, bytes = elements.held(t)
      local handle, reason = host.start_receive(address(whole), bytes, from, tag)
      return new_request('mpi.irecv', handle, reason, whole, bytes, function(sender)
         if copied then t:copy(whole) end
         return t, sender
      end)
   end

   -- Begins a collective in place: start(address, bytes, count) returns the handle of the request.
   function mpi._begin(name, t, start)
      local whole, copied, bytes = elements.held(t)
      local handle, reason = start(address(whole), bytes, whole:nElement())
      return new_request(name, handle, reason, whole, nil, function()
         if copied then t:copy(whole) end
         return t
      end)
   end
end
