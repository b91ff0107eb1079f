-- nn.exportONNX: writes a network as an ONNX model, checks it and compares its results. The work is done by
-- t7shell/convert, from a file of the network.

local torch = require 'torch'
local check = require 'torch.base.check'
local host = require('torch.native.host').of 'nn'

-- The sizes of a tensor with elements: '2x3x4'.
local function sizes(what, tensor)
   check.tensor('exportONNX', what, tensor)
   if tensor:dim() == 0 then check.argument_error('exportONNX', what, 'a tensor with elements', tensor) end
   return table.concat(tensor:size():totable(), 'x')
end

return function(target)

   -- `input` is a tensor or a table of tensors, whose sizes count; the first dimension is the batch. Returns the
   -- largest difference from the results of this network, and that relative to the largest result.
   function target.exportONNX(net, path, input)
      if not torch.isTypeOf(net, 'nn.Module') then check.argument_error('exportONNX', 'argument 1', 'a module', net) end
      check.kind('exportONNX', 'path', path, 'string')
      local shapes = {}
      if torch.isTensor(input) then
         shapes[1] = sizes('input', input)
      else
         check.kind('exportONNX', 'input', input, 'table')
         for i, tensor in ipairs(input) do shapes[i] = sizes('input[' .. i .. ']', tensor) end
         if #shapes == 0 then check.argument_error('exportONNX', 'input', 'a tensor, or a table of tensors', input) end
      end
      local name = os.tmpname()
      local written, why = pcall(torch.save, name, net)
      if not written then
         os.remove(name)
         error(why, 2)
      end
      local absolute, relative = host.export(name, path, table.concat(shapes, ' '))
      os.remove(name)
      if not absolute then check.fail('exportONNX', '%s', relative) end
      return tonumber(absolute), tonumber(relative)
   end
end
