-- Nested values with tensors, to and from Python: the Lua half of t7shell/packages/exchange/values.py. Packages pass
-- the readers of their host functions to `from`, and get writers from `to`.

local host = require('torch.native.host').of 'exchange'
local buffers, native = require 'torch.memory.buffers', require 'torch.native.native'
local clean = require('torch.loops.nan_payloads').clean
local errors, key_order = require 'torch.base.errors', require 'torch.base.key_order'
local types = require 'torch.base.types'

local exchange = {}

-- NumPy's arrays have at most as many dimensions.
local MAX_DIMENSIONS = 64

-- Returns the address of the first element; 0 of an empty tensor.
function exchange.address(t)
   if t:nElement() == 0 then return 0 end
   return (native.address_of(buffers.start(t)))
end
local address_of = exchange.address

-- Returns a new tensor of a type, 'Double', with sizes; without sizes it has one element, since no tensor is a scalar.
function exchange.new_tensor(torch, kind, ...)
   local make = torch[kind .. 'Tensor']
   local count = select('#', ...)
   if count == 0 then return make(1) end
   for i = 1, count do
      if (select(i, ...)) == 0 then return make() end
   end
   return make(...)
end

-- Returns a tensor filled by Python, after replacing the NaNs that Lua would take for other values.
function exchange.cleaned(t)
   if t:nElement() > 0 then clean(types.of_tensor(t), buffers.start(t), t:nElement()) end
   return t
end

local read

local function read_piece(torch, reader, kind, first, ...)
   if kind == 'tensor' then
      local t = exchange.new_tensor(torch, first, ...)
      if t:nElement() > 0 then host.fill(reader, address_of(t)) end
      return exchange.cleaned(t)
   elseif kind == 'table' then
      local result = {}
      for _ = 1, first do
         local key = read(torch, reader)
         result[key] = read(torch, reader)
      end
      return result
   elseif kind == nil then
      errors.raise('%s', first)
   end
   return first
end

function read(torch, reader) return read_piece(torch, reader, host.piece(reader)) end

function exchange.from(reader) return read(require 'torch', reader) end

local write

local function write_table(writer, name, value, depth)
   if depth > 100 then errors.raise('%s: tables must be nested at most 100 deep; is one inside itself?', name) end
   host.begin(writer)
   for key, inner in key_order.pairs(value) do
      if type(key) ~= 'string' and type(key) ~= 'number' then
         errors.raise('%s: keys must be strings or numbers (got %s)', name, errors.describe(key))
      end
      host.key(writer, key)
      write(writer, name, inner, depth + 1)
   end
   host['end'](writer)
end

function write(writer, name, value, depth)
   local T, kind = types.of_tensor(value), type(value)
   if T then
      if value:dim() > MAX_DIMENSIONS then
         errors.raise('%s: tensors must have at most %d dimensions (got %d)', name, MAX_DIMENSIONS, value:dim())
      end
      local t = value:contiguous()
      host.tensor(writer, T.name, address_of(t), unpack(t:size():totable()))
   elseif kind == 'table' and not require('torch').typename(value) then
      write_table(writer, name, value, depth)
   elseif kind == 'string' or kind == 'number' or kind == 'boolean' then
      host.plain(writer, value)
   else
      errors.raise('%s: values must be tensors, tables, strings or numbers (got %s)', name, errors.describe(value))
   end
end

-- Returns a writer that holds a value; `name` is that of the function for errors.
function exchange.to(value, name)
   local writer = host.writer()
   write(writer, name, value, 0)
   return writer
end

return exchange
