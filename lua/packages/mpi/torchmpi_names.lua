-- The names of TorchMPI for the same work: the rank comes first, and sums are the only operation.

local check, elements = require 'torch.base.check', require 'mpi.elements'

return function(mpi, host)
   local size = mpi.size()

   local function check_tensor(name, t)
      check.tensor(name, 'tensor', t)
      return t
   end

   -- MPI runs from `require` to the end of the process; options for GPUs mean nothing here.
   function mpi.start() end
   function mpi.stop() mpi.barrier() end

   function mpi.allreduceTensor(t) return mpi.allreduce(check_tensor('mpi.allreduceTensor', t)) end
   function mpi.broadcastTensor(root, t) return mpi.broadcast(check_tensor('mpi.broadcastTensor', t), root) end
   function mpi.reduceTensor(root, t) return mpi.reduce(check_tensor('mpi.reduceTensor', t), 'sum', root) end

   function mpi.allgatherTensor(t, result)
      check_tensor('mpi.allgatherTensor', t)
      if result:nElement() ~= size * t:nElement() then result:resize(size * t:nElement()) end
      return mpi.allgather(t, result)
   end

   -- Sends a tensor to rank `to`, and fills it with that of rank `from`.
   function mpi.sendreceiveTensor(t, from, to)
      local name = 'mpi.sendreceiveTensor'
      local whole, copied, bytes = elements.contiguous(check_tensor(name, t))
      to = check.integer(name, 'rank of the receiver', to, 0, size - 1)
      from = check.integer(name, 'rank of the sender', from, 0, size - 1)
      local reason = host.exchange(elements.address(whole), bytes, to, from)
      elements.keep_alive(whole)
      if reason then check.fail(name, '%s', reason) end
      if copied then t:copy(whole) end
      return t
   end

   -- Numbers: mpi.allreduce_double(x), mpi.broadcast_float(root, x), ...
   for _, kind in ipairs { 'char', 'short', 'int', 'long', 'float', 'double' } do
      mpi['allreduce_' .. kind] = function(x)
         return mpi.allreduce(check.number('mpi.allreduce_' .. kind, 'argument 1', x))
      end
      mpi['reduce_' .. kind] = function(root, x)
         return mpi.reduce(check.number('mpi.reduce_' .. kind, 'argument 2', x), 'sum', root)
      end
      mpi['broadcast_' .. kind] = function(root, x) return mpi.broadcast(x, root) end
   end

   -- Asynchronous work: mpi.syncHandle(mpi.async.allreduceTensor(t)).
   mpi.async = {}

   function mpi.async.allreduceTensor(t)
      local _, T = check.real('mpi.async.allreduceTensor', 'tensor', t)
      return mpi._begin('mpi.async.allreduceTensor', t, function(at, _, count)
         return host.start_allreduce(at, count, T.dtype, 'sum')
      end)
   end

   function mpi.async.broadcastTensor(root, t)
      local name = 'mpi.async.broadcastTensor'
      check.integer(name, 'root', root, 0, size - 1)
      return mpi._begin(name, check_tensor(name, t), function(at, bytes)
         return host.start_broadcast(at, bytes, root)
      end)
   end

   mpi.syncHandle = mpi.wait
end
