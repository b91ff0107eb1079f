-- hdf5.DataSetOptions: how a dataset lies in the file.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(hdf5)
   local Options = torch.class('hdf5.DataSetOptions', hdf5)

   function Options:__init()
      self.chunks, self.deflate, self.shuffle = {}, -1, false
   end

   -- Cuts the dataset into chunks of these sizes, one for each dimension.
   function Options:setChunked(...)
      local sizes = { ... }
      for i = 1, #sizes do check.size('setChunked', 'size ' .. i, sizes[i]) end
      self.chunks = sizes
      return self
   end

   -- Compresses the chunks; the level is 0 to 9, 6 where it is left out.
   function Options:setDeflate(level)
      self.deflate = level == nil and 6 or check.integer('setDeflate', 'level', level, 0, 9)
      return self
   end

   -- Sorts bytes by their index in an element before they are compressed.
   function Options:setShuffle()
      self.shuffle = true
      return self
   end

   -- Arguments of the host's `create` for options, or for none.
   function hdf5._creation(options, growing)
      if options == nil then return growing, -1, false end
      if not torch.isTypeOf(options, 'hdf5.DataSetOptions') then
         check.argument_error('hdf5', 'options', 'hdf5.DataSetOptions', options)
      end
      return growing, options.deflate, options.shuffle, unpack(options.chunks)
   end
end
