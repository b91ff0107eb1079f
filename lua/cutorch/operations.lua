-- Kernels of the device by the makers of the CPU's, as the rows name them: operations[maker](context) returns a
-- function of the arguments of the form in their order, or nil where the device has none. It returns `refused` where
-- the CPU is to compute, which raises the errors, too: these kernels take what fits, and have no messages for the rest.
--
-- The context is { T = row of the type, how = parameters of the case, form, call, name }.

local device_buffers = require 'torch.memory.device_buffers'
local forms, geometry = require 'torch.base.forms', require 'torch.base.geometry'
local host = require('torch.native.host').of 'cutorch'
local types = require 'torch.base.types'
local count_of, same_size, of_tensor = geometry.count, geometry.same_size, types.of_tensor
local result_view, view, written = device_buffers.result, device_buffers.view, device_buffers.written

local operations = {}

local refused = {}
operations.refused = refused

-- An operation of the table in t7shell/packages/cutorch/operations.py.
local found = {}
local function operation(name)
   found[name] = found[name] or host.operation(name)
   return found[name]
end

local is_apart = device_buffers.is_apart

-- Whether a result and an operand share memory, but for the same elements in the same order.
local function is_entwined(r, t)
   if type(t) ~= 'cdata' or rawequal(r, t) or r._memory ~= t._memory then return false end
   if r._offset ~= t._offset or not same_size(r, t) then return true end
   for d = 0, r._dim - 1 do
      if r._stride[d] ~= t._stride[d] then return true end
   end
   return false
end

-- Element-wise ------------------------------------------------------------------------------------------------------

-- The text of a program without loops of LuaJIT, which the device does not have.
local function program_text(T, how)
   local text = T.integer and how.integer or how[1]
   -- Integers must not be divided by 0, and some numbers are replaced by others: that is for the CPU.
   if how.nonzero and T.integer or how.scalar then return nil end
   if not T.integer and text:find('(', 1, true) then text = how.Double or text end
   return text
end

-- The registers of the operands in the order of the form: x, y, w are tensors, v and u numbers.
local function registers(form)
   local tensors, numbers, names = { 'x', 'y', 'w' }, { 'v', 'u' }, {}
   local slots = forms.parse(form)
   for i = 2, #slots do
      local list = slots[i].letter == 't' and tensors or numbers
      names[i - 1] = table.remove(list, 1)
   end
   return names
end

-- Whether a number is one of an integer type.
local function fits(T, value) return not T.integer or value % 1 == 0 and value >= -2 ^ 53 and value <= 2 ^ 53 end

-- Makes the kernel of a program whose result is of type R.
local function elementwise(c, R, text)
   if not text or c.T.name == 'Half' then return nil end
   local T, names = c.T, registers(c.form)
   local run = host.program(text, table.concat(names))
   if not run then return nil end
   local function operand(name, value, x)
      if name == 'v' or name == 'u' then return fits(T, value) and value or nil end
      return (rawequal(value, x) or same_size(value, x)) and view(value, T) or nil
   end
   local first
   for i = #names, 1, -1 do
      if names[i] == 'x' then first = i end
   end
   local clamps = c.name == 'clamp'
   return function(r, a, b, d, e)
      local x = first == 1 and a or b
      if count_of(x) == 0 or clamps and not (b <= d) then return refused end
      local p = operand(names[1], a, x)
      local q, s, t
      if names[2] then q = operand(names[2], b, x) end
      if names[3] then s = operand(names[3], d, x) end
      if names[4] then t = operand(names[4], e, x) end
      if p == nil or names[2] and q == nil or names[3] and s == nil or names[4] and t == nil then return refused end
      local z
      if r == nil then
         r = R.new_like(x)
      else
         if is_entwined(r, a) or is_entwined(r, b) or is_entwined(r, d) or is_entwined(r, e) then return refused end
         R.resize_as(r, x)
      end
      if not is_apart(r) then return refused end
      -- A result that is an operand has its elements on the device by now.
      z = result_view(r, R)
      if not z or not run(z, p, q, s, t) then return refused end
      written(r, R)
      return r
   end
end

operations['elementwise.map'] = function(c) return elementwise(c, c.T, program_text(c.T, c.how)) end

operations['elementwise.compare'] = function(c)
   return elementwise(c, types.by_name.CudaByte, 'z = ' .. c.how[1])
end

operations['elementwise.compare_own'] = function(c) return elementwise(c, c.T, 'z = ' .. c.how[1]) end

-- Reductions --------------------------------------------------------------------------------------------------------

-- A number of a tensor, and of a second one of its sizes.
local function reduction(name)
   return function(c)
      local T, run = c.T, operation(name)
      if T.name == 'Half' then return nil end
      return function(t, u)
         if count_of(t) == 0 then return refused end
         local x = view(t, T)
         local number
         if type(u) == 'cdata' then
            if not same_size(t, u) then return refused end
            number = x and run(x, view(u, T))
         else
            number = x and run(x)
         end
         if not number then return refused end
         return number
      end
   end
end

operations['reduce_axis.sum_all'] = reduction 'sum'
-- Products of integers are made in doubles by the CPU.
operations['reduce_axis.prod_all'] = function(c) return not c.T.integer and reduction 'prod'(c) or nil end
operations['reduce_axis.mean_all'] = reduction 'mean'
operations['linalg.products.dot'] = reduction 'dot'

operations['minmax.all'] = function(c)
   local make = reduction(c.how.ufunc == 'maximum' and 'largest' or 'smallest')
   return make(c)
end

-- norm(t, p) and dist(t, u, p).
operations['statistics.norm_all'] = function(c)
   local run = operation 'norm'
   return function(t, p)
      local x = count_of(t) > 0 and view(t, c.T)
      local number = x and run(x, p)
      return number or refused
   end
end

operations['statistics.dist'] = function(c)
   local run = operation 'dist'
   return function(t, u, p)
      local x = count_of(t) > 0 and same_size(t, u) and view(t, c.T)
      local number = x and run(x, view(u, c.T), p)
      return number or refused
   end
end

-- A result r of t along dimension d, counted from 1: of its sizes, or with size 1 there.
local function along(c, run, r, t, d, keeps)
   local T = c.T
   if type(d) ~= 'number' or d % 1 ~= 0 or d < 1 or d > t._dim then return refused end
   local x = view(t, T)
   if not x then return refused end
   if r == nil then r = T.new_tensor() elseif r._memory == t._memory then return refused end
   local sizes = {}
   for k = 0, t._dim - 1 do sizes[k + 1] = k == d - 1 and not keeps and 1 or t._size[k] end
   T.resize_to(r, sizes)
   local z = is_apart(r) and result_view(r, T)
   if not z or not run(z, x, d - 1) then return refused end
   written(r, T)
   return r
end

operations['reduce_axis.along'] = function(c)
   if c.T.name == 'Half' then return nil end
   local run = operation(c.how.ufunc == 'add' and 'sum_along' or 'prod_along')
   return function(r, t, d) return along(c, run, r, t, d, false) end
end

operations['reduce_axis.mean_along'] = function(c)
   local run = operation 'mean_along'
   return function(r, t, d) return along(c, run, r, t, d, false) end
end

-- The extremes along a dimension, and where they are first.
operations['minmax.along'] = function(c)
   if c.T.name == 'Half' then return nil end
   local Long = types.by_name.CudaLong
   local run = operation(c.how.ufunc == 'maximum' and 'largest_along' or 'smallest_along')
   return function(r, places, t, d)
      if r ~= nil and (r._memory == t._memory or not is_apart(r))
         or places ~= nil and (places._memory == t._memory or not is_apart(places)) then
         return refused
      end
      local at = places or Long.new_tensor()
      local function both(z, x, dimension)
         local sizes = {}
         for k = 0, t._dim - 1 do sizes[k + 1] = k == d - 1 and 1 or t._size[k] end
         Long.resize_to(at, sizes)
         local i = result_view(at, Long)
         return i and run(z, i, x, dimension)
      end
      local made = along(c, both, r, t, d, false)
      if made == refused then return refused end
      written(at, Long)
      return made, at
   end
end

operations['cumulative.along'] = function(c)
   if c.T.name == 'Half' then return nil end
   local run = operation(c.how.ufunc == 'add' and 'cumsum' or 'cumprod')
   return function(r, t, d) return along(c, run, r, t, d, true) end
end

-- Products ----------------------------------------------------------------------------------------------------------

-- The sizes of a product of each kind; nil where the operands do not fit.
local product_sizes = {
   mv = function(a, b) if a._dim == 2 and b._dim == 1 and a._size[1] == b._size[0] then return { a._size[0] } end end,
   mm = function(a, b)
      if a._dim == 2 and b._dim == 2 and a._size[1] == b._size[0] then return { a._size[0], b._size[1] } end
   end,
   ger = function(a, b) if a._dim == 1 and b._dim == 1 then return { a._size[0], b._size[0] } end end,
   bmm = function(a, b)
      if a._dim == 3 and b._dim == 3 and a._size[0] == b._size[0] and a._size[2] == b._size[1] then
         return { a._size[0], a._size[1], b._size[2] }
      end
   end,
}
product_sizes.sum = function(a, b)
   local sizes = product_sizes.bmm(a, b)
   return sizes and { sizes[2], sizes[3] }
end

local function has_sizes(t, sizes)
   if t._dim ~= #sizes then return false end
   for d = 1, #sizes do
      if t._size[d - 1] ~= sizes[d] then return false end
   end
   return true
end

-- r = beta t + alpha a b, with nil for t where there is none.
local function product(c, r, beta, t, alpha, a, b)
   local T, kind = c.T, c.how
   local sizes = product_sizes[kind](a, b)
   if not sizes or T.integer or T.name == 'Half' or t and not has_sizes(t, sizes) then return refused end
   if r == nil then
      r = T.new_contiguous(sizes)
   elseif not has_sizes(r, sizes) or not is_apart(r) or r._memory == a._memory or r._memory == b._memory
      or t and is_entwined(r, t) then
      return refused
   end
   local x, y = view(a, T), view(b, T)
   local start = t and view(t, T)
   local z = x and result_view(r, T)
   if not z then return refused end
   local fine
   if t then
      fine = operation('added_' .. kind)(z, beta, start, alpha, x, y)
   else
      fine = operation('product_' .. kind)(z, x, y)
   end
   if not fine then return refused end
   written(r, T)
   return r
end

operations['linalg.products.product'] = function(c)
   return function(r, a, b) return product(c, r, 0, nil, 1, a, b) end
end

operations['linalg.products.added'] = function(c)
   return function(r, beta, t, alpha, a, b) return product(c, r, beta, t, alpha, a, b) end
end

operations['linalg.products.added_to'] = function(c)
   return function(r, alpha, a, b) return product(c, r, 1, r, alpha, a, b) end
end

operations['linalg.products.added_to_scaled'] = function(c)
   return function(r, beta, alpha, a, b) return product(c, r, beta, r, alpha, a, b) end
end

-- Indices, and concatenation ----------------------------------------------------------------------------

local function index(c, r, t, d, places)
   local T, Long = c.T, types.by_name.CudaLong
   if d < 1 or d > t._dim or d % 1 ~= 0 or places._dim ~= 1 then return refused end
   if r ~= nil and (r._memory == t._memory or not is_apart(r)) then return refused end
   local x, at = view(t, T), view(places, Long)
   if not x or not at then return refused end
   r = r or T.new_tensor()
   local sizes = {}
   for k = 0, t._dim - 1 do sizes[k + 1] = k == d - 1 and places._size[0] or t._size[k] end
   T.resize_to(r, sizes)
   if not operation 'index'(result_view(r, T), x, d - 1, at) then return refused end
   written(r, T)
   return r
end

operations['gather.index'] = function(c) return function(r, t, d, places) return index(c, r, t, d, places) end end
operations['gather.index_new'] = function(c) return function(t, d, places) return index(c, nil, t, d, places) end end

-- r = the parts, concatenated along dimension d, by default the last.
local function join(c, r, parts, d)
   local T, first = c.T, parts[1]
   if of_tensor(first) ~= T or first._dim == 0 then return refused end
   local dim = first._dim
   d = d or dim
   if d % 1 ~= 0 or d < 1 or d > dim then return refused end
   local sizes, views = {}, {}
   for k = 1, dim do sizes[k] = k == d and 0 or first._size[k - 1] end
   for i = 1, #parts do
      local t = parts[i]
      if of_tensor(t) ~= T or t._dim ~= dim or r ~= nil and r._memory == t._memory then return refused end
      for k = 1, dim do
         if k ~= d and t._size[k - 1] ~= sizes[k] then return refused end
      end
      sizes[d], views[i] = sizes[d] + t._size[d - 1], view(t, T)
      if not views[i] then return refused end
   end
   r = r or T.new_tensor()
   T.resize_to(r, sizes)
   local z = is_apart(r) and result_view(r, T)
   if not z or not operation 'cat'(z, d - 1, unpack(views)) then return refused end
   written(r, T)
   return r
end

operations['join.cat_two'] = function(c) return function(r, a, b, d) return join(c, r, { a, b }, d) end end

-- As many parts as the stack of a call takes.
local MOST_PARTS = 200

operations['join.cat_list'] = function(c)
   return function(r, list, d)
      if #list == 0 or #list > MOST_PARTS then return refused end
      return join(c, r, list, d)
   end
end

operations['masked.fill'] = function(c)
   local run = operation 'masked_fill'
   return function(t, mask, value)
      if not same_size(t, mask) or count_of(t) == 0 or not is_apart(t) or not fits(c.T, value) then return refused end
      local m, z = view(mask, types.by_name.CudaByte), view(t, c.T)
      if not m or not z or not run(z, m, value) then return refused end
      written(t, c.T)
      return t
   end
end

-- Random numbers ----------------------------------------------------------------------------------------------------

-- The names that the device draws by, with its own generator; a generator of the program is one of the CPU.
local draws = {
   uniform = function(run, z, a, b) return a <= b and run(z, a, b) end,
   normal = function(run, z, a, b) return b > 0 and run(z, a, b) end,
   exponential = function(run, z, a) return a > 0 and run(z, a) end,
   bernoulli = function(run, z, a) return a >= 0 and a <= 1 and run(z, a) end,
}

operations['random.distributions.fill'] = function(c)
   local T, draw = c.T, draws[c.name]
   if not draw or T.integer and c.name ~= 'bernoulli' then return nil end
   local run = operation(c.name)
   return function(r, generator, a, b)
      if generator ~= nil or count_of(r) == 0 or not is_apart(r) then return refused end
      local z = result_view(r, T)
      if not z or not draw(run, z, a, b) then return refused end
      written(r, T)
      return r
   end
end

return operations
