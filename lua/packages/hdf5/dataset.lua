-- hdf5.HDF5DataSet: a tensor in a file. It knows its type and sizes; elements are read when they are asked for.

local format = string.format
local torch = require 'torch'
local check, exchange = require 'torch.base.check', require 'torch.utility.exchange'
local selection = require 'hdf5.selection'
local types = require 'torch.base.types'

return function(hdf5, host)
   local DataSet = torch.class('hdf5.HDF5DataSet', hdf5)

   function DataSet:__init(parent, handle)
      self._parent, self._handle = parent, handle
   end

   local handle_of = hdf5._handle_of

   local function described(self, kind, ...)
      if not kind then
         handle_of(self)
         check.fail('hdf5', '%s', (...))
      end
      return kind, { ... }
   end

   local function shape_of(self) return described(self, host.describe(rawget(self, '_handle') or handle_of(self))) end

   -- Returns the host's result; a second value is an error message.
   local function finished(self, answer, why)
      if why then
         handle_of(self)
         check.fail(tostring(self), '%s', why)
      end
      return answer
   end

   -- Type and sizes, cached for the next index.
   local function refresh_shape(self)
      self._kind, self._sizes = shape_of(self)
      return self._kind, self._sizes
   end

   -- Calls `work` with the type, the box of an index and the sizes of its contents, all as of the last access, so that
   -- an index crosses into Python once; `work` returns false if the sizes have changed.
   local function with_box(self, caller_name, index, work, value)
      if not rawget(self, '_kind') then refresh_shape(self) end
      local ok, numbers, kept = pcall(selection.of, caller_name, index, self._sizes)
      local result = ok and work(self, self._kind, numbers, kept, value)
      while not result do
         local kind, sizes = refresh_shape(self)
         numbers, kept = selection.of(caller_name, index, sizes)
         result = work(self, kind, numbers, kept, value)
      end
      return result
   end

   -- The sizes as a table.
   function DataSet:dataspaceSize()
      local _, sizes = shape_of(self)
      return sizes
   end

   -- The sizes in a LongStorage, or one of them; `shape` is another name.
   function DataSet:size(dimension)
      local sizes = self:dataspaceSize()
      if dimension == nil then return torch.LongStorage(sizes) end
      if dimension < 0 then dimension = dimension + #sizes + 1 end
      return sizes[check.index('size', 'dimension', dimension, #sizes)]
   end

   DataSet.shape = DataSet.size

   function DataSet:dim() return #self:dataspaceSize() end

   function DataSet:nElement()
      local count = 1
      for _, size in ipairs(self:dataspaceSize()) do count = count * size end
      return count
   end

   function DataSet:type()
      local kind = shape_of(self)
      return kind == 'string' and 'string' or 'torch.' .. kind .. 'Tensor'
   end

   -- The constructor of tensors for the elements.
   function DataSet:getTensorFactory()
      local kind = shape_of(self)
      if kind == 'string' then check.fail(tostring(self), 'dataset must have numbers (got a string)') end
      return torch[kind .. 'Tensor']
   end

   local function read_box(self, kind, numbers, sizes)
      local result = exchange.new_tensor(torch, kind, unpack(sizes))
      local address = exchange.address(result)
      return finished(self, host.read(rawget(self, '_handle'), address, unpack(numbers))) and exchange.cleaned(result)
   end

   -- A number where no dimension is kept.
   local function read_index(self, kind, numbers, sizes)
      if #sizes > 0 then return read_box(self, kind, numbers, sizes) end
      return finished(self, host.read(rawget(self, '_handle'), nil, unpack(numbers)))
   end

   -- Everything in the dataset: a tensor, or a string.
   function DataSet:all()
      if shape_of(self) == 'string' then
         local reader, why = host.text(handle_of(self))
         if not reader then check.fail('all', '%s', why) end
         return exchange.from(reader)
      end
      return with_box(self, nil, {}, read_box)
   end

   -- A part, by a range { first, last } or a number for each dimension, all of which are kept.
   function DataSet:partial(...)
      local _, sizes = shape_of(self)
      if select('#', ...) ~= #sizes then
         check.fail('partial', 'ranges must be %d, one for each dimension (got %d)', #sizes, select('#', ...))
      end
      local ranges = { ... }
      for i = 1, #sizes do
         if type(ranges[i]) == 'number' then ranges[i] = { ranges[i], ranges[i] } end
         check.kind('partial', 'range ' .. i, ranges[i], 'table')
      end
      return with_box(self, function() return 'partial' end, ranges, read_box)
   end

   -- A mask of the sizes of the dataset, or of its first dimension: then it is one of rows. Second its sizes.
   local function mask_of(mask, sizes)
      local own, whole = mask:size():totable(), table.concat(sizes, 'x')
      if types.of_tensor(mask).name ~= 'Byte' or table.concat(own, 'x') ~= whole
         and not (#own == 1 and own[1] == sizes[1]) then
         check.argument_error('mask', 'mask', format('a ByteTensor of size [%s]%s', whole,
            #sizes > 1 and format(' or [%d]', sizes[1]) or ''), mask)
      end
      return mask:contiguous(), own
   end

   local function read_masked(self, mask, kind, sizes)
      local m, own = mask_of(mask, sizes)
      local kept = { m:ne(0):sum(), unpack(sizes, #own + 1) }
      local result = exchange.new_tensor(torch, kind, unpack(kept))
      if result:nElement() > 0 then
         local arguments = { exchange.address(m), #own, unpack(own) }
         for _, size in ipairs(kept) do arguments[#arguments + 1] = size end
         finished(self, host.masked(handle_of(self), exchange.address(result), unpack(arguments)))
      end
      return exchange.cleaned(result)
   end

   local function is_index(key)
      return type(key) == 'number' or type(key) == 'table' or types.of_tensor(key) ~= nil or torch.isStorage(key)
   end

   -- d[i], d[{ {1, 2}, {}, -1 }] and d[mask] read; without a range the result is a number.
   function DataSet:__index__(key)
      if not is_index(key) then return nil, false end
      local kind = rawget(self, '_kind') or refresh_shape(self)
      if kind == 'string' then check.fail(tostring(self), 'dataset must have numbers to be indexed (got a string)') end
      if types.of_tensor(key) then return read_masked(self, key, shape_of(self)), true end
      if torch.isStorage(key) then key = key:totable() end
      return with_box(self, function() return tostring(self) end, key, read_index), true
   end

   local function put_masked(self, mask, sizes, value)
      local m, arguments = mask_of(mask, sizes)
      local handle, address, dimensions = handle_of(self), exchange.address(m), #arguments
      if type(value) == 'number' then
         arguments[#arguments + 1] = value
      else
         local t, T = check.tensor(tostring(self), 'value', value)
         t = t:contiguous()
         local n = #arguments
         arguments[n + 1], arguments[n + 2], arguments[n + 3] = T.name, exchange.address(t), t:nElement()
      end
      finished(self, host.put_masked(handle, address, dimensions, unpack(arguments)))
   end

   local function write_box(self, _, numbers, kept, value)
      local handle = rawget(self, '_handle')
      if type(value) == 'number' then return finished(self, host.write(handle, value, nil, unpack(numbers))) end
      local t, T = check.tensor(tostring(self), 'value', value)
      local count = 1
      for _, size in ipairs(kept) do count = count * size end
      if t:nElement() ~= count then
         check.argument_error(tostring(self), 'value', format('a number or a tensor of %d elements', count), value)
      end
      t = t:contiguous()
      return finished(self, host.write(handle, T.name, exchange.address(t), unpack(numbers)))
   end

   -- d[index] = number or tensor of as many elements writes into the file.
   function DataSet:__newindex__(key, value)
      if not is_index(key) then return false end
      if types.of_tensor(key) then
         put_masked(self, key, self:dataspaceSize(), value)
         return true
      end
      if torch.isStorage(key) then key = key:totable() end
      return with_box(self, function() return tostring(self) end, key, write_box, value)
   end

   -- Gives the dataset other sizes; only one that was made to grow, by `append`, takes them.
   function DataSet:resize(...)
      local sizes = { ... }
      if torch.isStorage(sizes[1]) then sizes = sizes[1]:totable() end
      for i = 1, #sizes do check.integer('resize', 'size ' .. i, sizes[i], 0) end
      finished(self, host.resize(handle_of(self), unpack(sizes)))
      return self
   end

   -- Appends rows.
   function DataSet:append(tensor)
      local kind, sizes = shape_of(self)
      local t = check.tensor('append', 'argument 1', tensor)
      local own = t:size():totable()
      for d = 2, math.max(#sizes, #own) do
         if own[d] ~= sizes[d] then
            check.argument_error('append', 'argument 1', format('a tensor of size [nx%s]', table.concat(sizes, 'x',
               2)), t)
         end
      end
      local before = sizes[1]
      sizes[1] = before + own[1]
      self:resize(unpack(sizes))
      self[{ { before + 1, sizes[1] } }] = t:type('torch.' .. kind .. 'Tensor')
   end

   function DataSet:__tostring__()
      local handle = rawget(self, '_handle')
      if not host.is_open(handle) then return '[HDF5DataSet, closed]' end
      local kind, sizes = shape_of(self)
      return format('[HDF5DataSet %s: %s]', host.path(handle),
         kind == 'string' and kind or format('torch.%sTensor of size %s', kind, table.concat(sizes, 'x')))
   end

   function DataSet:close() self._handle, self._kind = nil, nil end
end
