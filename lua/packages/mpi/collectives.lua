-- Operations in which all ranks take part. A wrong argument on one rank is an error there, which ends all ranks; if the
-- ranks disagree, as for sums of tensors of different sizes, each of them raises the error.

local torch = require 'torch'
local check, elements = require 'torch.base.check', require 'mpi.elements'
local address, keep_alive, contiguous, of_tensor = elements.address, elements.keep_alive, elements.contiguous,
   elements.of_tensor

local OPS = { 'sum', 'mean', 'prod', 'max', 'min' }

return function(mpi, host)
   local size = mpi.size()

   local function fail_if(name, reason)
      if reason then check.fail(name, '%s', reason) end
   end

   local function check_root(name, root) return check.integer(name, 'root', root or 0, 0, size - 1) end

   -- Returns the operation of MPI; `mean` is a sum that is divided.
   local function check_op(name, t, op)
      if op == nil then return 'sum' end
      check.one_of(name, 'operation', op, OPS)
      local T = of_tensor(t)
      if op == 'mean' and T.integer then
         check.argument_error(name, 'tensor of a mean', 'a DoubleTensor or FloatTensor', t)
      end
      return op == 'mean' and 'sum' or op
   end

   -- Combines the elements of t in place, at the root where there is one; MPI has no half precision.
   local function combine(name, t, op, root)
      local own = check_op(name, t, op)
      local half = of_tensor(t).name == 'Half'
      local whole, copied, _, T = contiguous(half and t:float() or t)
      local at, count = address(whole), whole:nElement()
      local reason
      if root then
         reason = host.reduce(at, count, T.dtype, own, root)
      else
         reason = host.allreduce(at, count, T.dtype, own)
      end
      keep_alive(whole)
      fail_if(name, reason)
      if op == 'mean' and (not root or root == mpi.rank()) then whole:div(size) end
      if half or copied then t:copy(whole) end
      return t
   end

   local function combined(name, value, op, root)
      if type(value) == 'number' then
         local t = combine(name, torch.DoubleTensor(1):fill(value), op, root)
         return (t[1])
      end
      return elements.each(name, value, function(t) combine(name, t, op, root) end)
   end

   function mpi.barrier() fail_if('mpi.barrier', host.barrier()) end

   -- Combines the elements of all ranks by 'sum', the default, 'mean', 'prod', 'max' or 'min': in place for a tensor
   -- and for all tensors of a table; a number is returned.
   function mpi.allreduce(value, op) return combined('mpi.allreduce', value, op) end

   -- The same at one rank, 0 if none is given. The others keep their values.
   function mpi.reduce(value, op, root)
      return combined('mpi.reduce', value, op, check_root('mpi.reduce', root))
   end

   local function broadcast_tensor(name, t, root)
      local whole, copied, bytes, T = contiguous(t)
      local reason = host.broadcast(address(whole), bytes, T.dtype, root)
      keep_alive(whole)
      fail_if(name, reason)
      if copied then t:copy(whole) end
      return t
   end

   -- Gives all ranks the value of the root. A tensor is filled in place: each rank has one of the same size and type.
   function mpi.broadcast(value, root)
      root = check_root('mpi.broadcast', root)
      if of_tensor(value) then return broadcast_tensor('mpi.broadcast', value, root) end
      local at, bytes, storage = 0, 0, nil
      if root == mpi.rank() then storage, at, bytes = elements.packed(value) end
      local text, reason = host.broadcast_value(at, bytes, root)
      keep_alive(storage)
      fail_if('mpi.broadcast', reason)
      if root == mpi.rank() then return value end
      return torch.deserialize(text)
   end

   -- Returns a tensor of the type of `like` with `count` elements, which the result of a call is to fill.
   local function check_result(name, result, like, count)
      check.same_type(name, 'result', result, like)
      if result:nElement() ~= count then
         check.argument_error(name, 'result', string.format('a tensor of %.0f elements', count), result)
      end
      return contiguous(result)
   end

   local function gather_tensor(name, t, root, result)
      local at, whole, copied = 0, nil, nil
      local own, _, bytes, T = contiguous(t)
      if not root or root == mpi.rank() then
         whole, copied = check_result(name, result, t, size * t:nElement())
         at = address(whole)
      end
      local reason = host.gather(address(own), bytes, T.dtype, root, at)
      keep_alive(own, whole)
      fail_if(name, reason)
      if copied then result:copy(whole) end
      return result
   end

   local function values(name, ...)
      local first, reason = ...
      if first == nil then
         fail_if(name, reason)
         return nil
      end
      local list = { ... }
      for i = 1, #list do list[i] = torch.deserialize(list[i]) end
      return list
   end

   local function gather_values(name, value, root)
      local storage, at, bytes = elements.packed(value)
      local function found(...)
         keep_alive(storage)
         return values(name, ...)
      end
      return found(host.gather_values(at, bytes, root))
   end

   -- Returns a list of the values of all ranks at the root, nil elsewhere. The elements of tensors go into `result`,
   -- one rank after another, where it is given.
   function mpi.gather(value, root, result)
      root = check_root('mpi.gather', root)
      if not result or not of_tensor(value) then return gather_values('mpi.gather', value, root) end
      return gather_tensor('mpi.gather', value, root, result)
   end

   -- The same at all ranks.
   function mpi.allgather(value, result)
      if not result or not of_tensor(value) then return gather_values('mpi.allgather', value) end
      return gather_tensor('mpi.allgather', value, nil, result)
   end

   -- Returns element `rank + 1` of the root's list. With a tensor for the result the root has one of all elements.
   function mpi.scatter(list, root, result)
      root = check_root('mpi.scatter', root)
      local here = root == mpi.rank()
      if of_tensor(result) then
         local own, copied, bytes, T = contiguous(result)
         if here then check.tensor('mpi.scatter', 'argument 1', list) end
         local whole = here and check_result('mpi.scatter', list, result, size * result:nElement())
         local reason = host.scatter(whole and address(whole) or 0, address(own), bytes, T.dtype, root)
         keep_alive(own, whole)
         fail_if('mpi.scatter', reason)
         if copied then result:copy(own) end
         return result
      end
      local parts = {}
      if here then
         check.kind('mpi.scatter', 'argument 1', list, 'table')
         for i = 1, size do parts[i] = torch.serialize(list[i]) end
      end
      local text, reason = host.scatter_values(root, unpack(parts))
      fail_if('mpi.scatter', reason)
      return torch.deserialize(text)
   end
end
