-- Lists of output sizes, for modules whose tensors have three to five dimensions.

local concat, unpack = table.concat, unpack
local torch = require 'torch'
local calls, expect = require 'nn.calls', require 'nn.expect'

local sizes = {}

-- Gives t other memory unless it is contiguous; its elements are lost. Constructors take a LongStorage of sizes: a
-- LongTensor would become the elements.
function sizes.contiguous(t)
   if not t:isContiguous() then t:set(t.new():resize(t:size())) end
   return t
end

-- The tensor t with the first `count` sizes of a list, contiguous.
function sizes.resized(k, t, list, count)
   if count == 3 then return k.resized(t, list[1], list[2], list[3]) end
   if count == 4 then return k.resized(t, list[1], list[2], list[3], list[4]) end
   if count <= 2 then return k.resized(t, unpack(list, 1, count)) end
   local wanted = torch.LongStorage { unpack(list, 1, count) }
   t = k.is(t) and t or k.new(1)
   if not t:isSize(wanted) then t = calls.resizable(t):resize(wanted) end
   return sizes.contiguous(t)
end

-- Raises unless gradOutput has the type of k and the first `count` sizes of a list.
function sizes.check(module, k, g, list, count)
   if not k.is(g) then expect.fail(module, 'gradOutput must be of type %s (got %s)', k.TYPE, expect.describe(g)) end
   local same = g._dim == count
   for d = 1, count do same = same and g._size[d - 1] == list[d] end
   if not same then
      expect.fail(module, 'gradOutput must be of the size of the output, %s (got %s)', concat(list, 'x', 1, count),
         expect.describe(g))
   end
end

return sizes
