-- hdf5.HDF5File and hdf5.HDF5Group: containers of groups and datasets, by path.

local torch = require 'torch'
local check, exchange = require 'torch.base.check', require 'torch.utility.exchange'

return function(hdf5, host)
   local Group = torch.class('hdf5.HDF5Group', hdf5)

   function Group:__init(parent, handle) self._parent, self._handle = parent, handle end

   local handle_of = hdf5._handle_of

   local function wrapped(self, kind, object)
      return kind == 'dataset' and hdf5.HDF5DataSet(self, object) or hdf5.HDF5Group(self, object)
   end

   -- The group or dataset at a path.
   function Group:read(path)
      path = check.kind('read', 'path', path == nil and '/' or path, 'string')
      local kind, found = host.child(handle_of(self), path)
      if not kind then check.fail('read', '%s', found) end
      return wrapped(self, kind, found)
   end

   -- file['a/b'] is file:read('a/b'), and nil if there is nothing.
   function Group:__index__(key)
      if type(key) ~= 'string' or Group[key] ~= nil or hdf5.HDF5File[key] ~= nil or string.sub(key, 1, 1) == '_' then
         return nil, false
      end
      local handle = rawget(self, '_handle')
      if handle == nil or not host.is_open(handle) then return nil, false end
      local kind, found = host.child(handle, key)
      if not kind then return nil, false end
      return wrapped(self, kind, found), true
   end

   -- Writes a tensor, number, string or table of them, nested, at a new path.
   function Group:write(path, value, options)
      check.kind('write', 'path', path, 'string')
      local writer = exchange.to(value, 'write')
      local _, why = host.create(handle_of(self), path, writer, hdf5._creation(options, false))
      if why then check.fail('write', '%s', why) end
   end

   -- The group of a name, which is made if there is none.
   function Group:getOrCreateChild(name)
      check.kind('getOrCreateChild', 'the name', name, 'string')
      local kind, found = host.child(handle_of(self), name)
      if not kind then return self:createChild(name) end
      return wrapped(self, kind, found)
   end

   function Group:createChild(name)
      self:write(check.kind('createChild', 'the name', name, 'string'), {})
      return self:read(name)
   end

   -- Adds the rows of a tensor to a dataset, which is made if there is none.
   function Group:append(path, tensor, options)
      check.kind('append', 'path', path, 'string')
      check.tensor('append', 'argument 2', tensor)
      local handle = handle_of(self)
      local kind, found = host.child(handle, path)
      if kind == 'dataset' then return wrapped(self, kind, found):append(tensor) end
      if kind == 'group' then check.fail('append', 'path must be that of a dataset (got that of a group, %s)', path) end
      local _, why = host.create(handle, path, exchange.to(tensor, 'append'), hdf5._creation(options, true))
      if why then check.fail('append', '%s', why) end
   end

   -- Everything below, as nested tables of tensors.
   function Group:all()
      local reader, why = host.all(handle_of(self))
      if not reader then check.fail('all', '%s', why) end
      return exchange.from(reader)
   end

   -- The names of the members.
   function Group:names() return { host.names(handle_of(self)) } end

   function Group:__tostring__()
      local handle = rawget(self, '_handle')
      if handle == nil or not host.is_open(handle) then return '[HDF5Group, closed]' end
      return string.format('[HDF5Group %s: %s]', host.path(handle), table.concat(self:names(), ', '))
   end

   function Group:close() self._handle = nil end

   -- In files of torch.save there is only the name: a loaded object is closed.
   function Group:__write(file) file:writeObject(rawget(self, '_path') or '') end
   function Group:__read(file) self._path = file:readObject() end

   local File = torch.class('hdf5.HDF5File', 'hdf5.HDF5Group', hdf5)

   function File:__init(path, handle) self._path, self._handle = path, handle end

   function File:filename() return self._path end

   function File:close()
      local handle = rawget(self, '_handle')
      if handle == nil then return end
      local _, why = host.close(handle)
      if why then check.fail('close', '%s: %s', tostring(self._path), why) end
   end

   function File:__tostring__()
      local handle = rawget(self, '_handle')
      local open = handle ~= nil and host.is_open(handle)
      return string.format('[HDF5File: %s%s]', tostring(self._path), open and '' or ', closed')
   end
end
