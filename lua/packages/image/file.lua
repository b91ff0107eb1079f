-- Files of pictures: image.load, save, getSize, and files in memory, compress and decompress. Pillow reads and writes.

local ffi = require 'ffi'
local arguments, picture = require 'image.arguments', require 'image.picture'
local check, dialect = require 'torch.base.check', require 'torch.base.dialect'
local errors, original_formats = require 'torch.base.errors', require 'image.original_formats'
local host = require('torch.native.host').of 'image'
local progress = require 'torch.base.progress'
local buffers, native = require 'torch.memory.buffers', require 'torch.native.native'
local torch = require 'torch'
local address_of = native.address_of
local pairs, raise, type = pairs, errors.raise, type

local constructors = { double = 'DoubleTensor', float = 'FloatTensor', byte = 'ByteTensor' }

-- The element type of a loaded image: as asked for, or the default one.
local function kind_of(name, kind)
   if kind ~= nil then
      return check.one_of(name, 'type', kind, { 'double', 'float', 'byte' })
   end
   return arguments.type_names[torch.getdefaulttensortype()] or 'double'
end

-- An image with `depth` planes, 1 or 3, made from its planes; other depths change nothing.
local function to_depth(image, name, x, depth)
   local planes = x:size(1)
   if depth == 1 and planes >= 3 then return image.rgb2y(x:narrow(1, 1, 3))[1] end
   if depth == 1 and planes == 2 then return x:narrow(1, 1, 1) end
   if depth == 3 and planes == 4 then return x:narrow(1, 1, 3) end
   if depth == 3 and planes < 3 then
      return x:narrow(1, 1, 1):expand(3, x:size(2), x:size(3)):clone()
   end
   if depth ~= nil then check.integer(name, 'depth', depth, 1, 4) end
   return x
end

-- The pixels that were loaded, as a tensor of planes; or nil and a message.
local function planes_of(kind, address, planes, height, width, bits, keeper)
   if not address then return nil, planes end
   local x = picture.to_planes(torch[constructors[kind]](planes, height, width), address, bits)
   buffers.keep_alive(keeper)
   return x, bits
end

-- Raises for files that Torch7 rejected, in the dialect th.
local function reject(name, path, extension)
   local wrong = dialect.name == 'th' and original_formats.refusal(path, extension)
   if wrong then raise('%s: cannot read %s: %s', name, path, wrong) end
end

local function load(image, name, path, depth, kind, extension)
   kind = kind_of(name, kind)
   check.kind(name, 'path', path, 'string')
   reject(name, path, extension)
   progress.step('loading images', path)
   local x, bits = planes_of(kind, host.load(path))
   if not x then
      local unknown = string.find(bits, 'unknown image type', 1, true)
      raise('%s: cannot read %s: %s', name, path, unknown and original_formats.damage(path) or bits)
   end
   return to_depth(image, name, x, depth), bits
end

local function decompress(image, name, bytes, depth, kind)
   kind = kind_of(name, kind)
   if not torch.isTensor(bytes) or bytes:type() ~= 'torch.ByteTensor' or bytes:dim() ~= 1 then
      raise('%s: argument 1 must be a ByteTensor of 1 dimension (got %s)', name, arguments.describe(bytes))
   end
   bytes = bytes:contiguous()
   local x, wrong = planes_of(kind, host.load_bytes(address_of(buffers.start(bytes)), bytes:size(1)))
   buffers.keep_alive(bytes)
   if not x then raise('%s: cannot read %s: %s', name, arguments.describe(bytes), wrong) end
   return to_depth(image, name, x, depth)
end

-- Planes, height and width.
local function size_of(name, path, extension)
   check.kind(name, 'path', path, 'string')
   reject(name, path, extension)
   local planes, height, width = host.head(path)
   if not planes then raise('%s: cannot read %s: %s', name, path, height) end
   return torch.LongTensor { planes, height, width }
end

local function quality_of(name, quality)
   if quality == nil then return 75 end
   return check.integer(name, 'quality', quality, 0, 100)
end

-- Calls f(address, planes, height, width, quality) with the pixels of an image for files of an extension; nil and a
-- message where there can be none.
local function with_pixels(f, name, extension, x, quality)
   if torch.isTensor(x) and not arguments.type_names[x:type()] then x = x:double() end
   arguments.image(name, x)
   quality = quality_of(name, quality)
   local planes, height, width = arguments.sizes(x)
   local wrong = host.size_error(extension, planes, height, width)
   if wrong then return nil, wrong end
   local pixels_buffer = picture.to_pixels(x)
   local made, why = f(address_of(pixels_buffer), planes, height, width, quality)
   buffers.keep_alive(pixels_buffer)
   return made, why
end

local function save(name, path, x, extension, quality)
   check.kind(name, 'path', path, 'string')
   local _, wrong = with_pixels(function(...)
      progress.step('saving images', path)
      return true, host.save(path, extension, ...)
   end, name, extension, x, quality)
   if wrong then raise('%s: cannot write %s: %s', name, path, wrong) end
end

local function compress(name, extension, x, quality)
   local content, wrong = with_pixels(function(...) return host.encode(extension, ...) end, name, extension, x, quality)
   if not content then raise('%s: cannot compress %s: %s', name, arguments.describe(x), wrong) end
   local bytes = torch.ByteTensor(#content)
   ffi.copy(buffers.start(bytes), content, #content)
   buffers.keep_alive(bytes)
   return bytes
end

return function(image)
   image.supported_filetypes = {}

   -- load(path [, depth [, type]]): planes x height x width, from 0 to 1, or to 255 for the type 'byte'.
   function image.load(path, depth, kind) return (load(image, 'load', path, depth, kind)) end

   -- save(path, x): the extension of the name determines the format.
   function image.save(path, x, quality)
      check.kind('save', 'path', path, 'string')
      local extension = string.lower(string.match(path, '%.(%w+)$') or '')
      if extension == '' or not host.can_save(extension) then
         raise("save: unknown image type '%s' (got %s)", extension, path)
      end
      return save('save', path, x, extension, quality)
   end

   -- Returns the maximum number of pixels of a picture in a file; with a number, sets it.
   function image.pixelLimit(count)
      if count ~= nil and not (type(count) == 'number' and count >= 1) then
         check.argument_error('pixelLimit', 'argument 1', 'a number of at least 1', count)
      end
      return host.limit(count)
   end

   function image.getSize(path) return size_of('getSize', path) end
   function image.decompress(bytes, depth, kind) return decompress(image, 'decompress', bytes, depth, kind) end

   for name, extension in pairs { PNG = 'png', JPG = 'jpg', PPM = 'ppm', PGM = 'pgm' } do
      image['save' .. name] = function(path, x, quality) return save('save' .. name, path, x, extension, quality) end
      if name ~= 'PGM' then
         image['load' .. name] = function(path, depth, kind)
            return load(image, 'load' .. name, path, depth, kind, extension)
         end
         -- Three numbers, unlike getSize.
         image['get' .. name .. 'size'] = function(path)
            local size = size_of('get' .. name .. 'size', path, extension)
            return size[1], size[2], size[3]
         end
      end
   end
   for name, extension in pairs { PNG = 'png', JPG = 'jpg' } do
      image['compress' .. name] = function(x, quality) return compress('compress' .. name, extension, x, quality) end
      image['decompress' .. name] = function(bytes, depth, kind)
         return decompress(image, 'decompress' .. name, bytes, depth, kind)
      end
   end

   for _, extension in pairs { 'jpg', 'jpeg', 'png', 'ppm', 'pgm' } do
      image.supported_filetypes[extension] = { loader = image.load, saver = image.save }
   end

   -- Whether Torch7 could read files with an extension.
   function image.is_supported(extension)
      return type(extension) == 'string' and image.supported_filetypes[string.lower(extension)] ~= nil
   end

   local function test_picture(name, ...)
      local x = torch.ByteTensor(...)
      host.test_picture(name, address_of(buffers.start(x)))
      buffers.keep_alive(x)
      return torch.Tensor(x:size()):copy(x):div(255)
   end

   -- Test pictures, computed: 3 x 512 x 512, and 257 x 271.
   function image.lena() return test_picture('lena', 3, 512, 512) end
   function image.fabio() return test_picture('fabio', 257, 271) end
end
