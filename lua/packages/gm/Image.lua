-- gm.Image: a picture of a file, of the bytes of one, or of a tensor.

local torch = require 'torch'
local check, exchange = require 'torch.base.check', require 'torch.utility.exchange'
local host = require('torch.native.host').of 'gm'
local buffers, planes = require 'torch.memory.buffers', require 'gm.planes'

return function(gm)
   local Image = torch.class('gm.Image', gm)

   -- The picture, or an error of the method.
   local function made(name, picture, why, path)
      if picture == nil then
         check.fail('gm.Image.' .. name, '%s%s', path and path .. ': ' or '', why or 'no picture is loaded')
      end
      return picture
   end

   local function picture_of(self, name)
      if type(self) ~= 'table' or self.picture == nil then check.fail('gm.Image.' .. name, 'no picture is loaded') end
      return self.picture
   end

   -- gm.Image(path [, width, height]), gm.Image(tensor [, colorspace, dims]), or gm.Image() for one to be loaded.
   function Image:__init(source, ...)
      if torch.isTensor(source) then
         self:fromTensor(source, ...)
      elseif source ~= nil then
         self:load(source, ...)
      end
   end

   -- With a size a JPEG file may be read at a smaller scale, which is not below it.
   function Image:load(path, width, height)
      check.kind('gm.Image.load', 'path', path, 'string')
      if width then width = check.size('gm.Image.load', 'width', width) end
      if width then height = check.size('gm.Image.load', 'height', height or width) end
      local picture, why = host.open(path, width, height)
      self.picture, self.path = made('load', picture, why, path), path
      return self
   end

   -- Options of written files: quality, whether they are progressive, and chroma subsampling.
   local function options_of(self, name, quality)
      quality = quality or self._quality
      if quality then check.integer('gm.Image.' .. name, 'quality', quality, 0, 100) end
      return quality or nil, self._interlace ~= nil and self._interlace ~= 'None', self._sampling
   end

   function Image:save(path, quality)
      check.kind('gm.Image.save', 'path', path, 'string')
      local picture = picture_of(self, 'save')
      local done, why = host.write(picture, path, options_of(self, 'save', quality))
      made('save', done, why, path)
      return self
   end

   -- The quality of files that are saved; without a number it is returned.
   function Image:quality(quality)
      if quality == nil then return self._quality end
      self._quality = check.integer('gm.Image.quality', 'quality', quality, 0, 100)
      return self
   end

   -- How the rows of JPEG files are ordered: 'None', or another for progressive files.
   function Image:interlace(kind)
      if kind == nil then return self._interlace or 'None' end
      self._interlace = check.one_of('gm.Image.interlace', 'kind', kind, { 'None', 'Line', 'Plane', 'Partition' })
      return self
   end

   -- Chroma subsampling, across and down, of JPEG files: 1 and 1, 2 and 1, or 2 and 2, or a list of them; or a list of
   -- three, the samples of each plane in both directions: {2, 1, 1} is 2 and 2.
   function Image:samplingFactors(across, down)
      if across == nil then return self._sampling end
      if type(across) == 'table' then
         local samples = across
         for i, count in ipairs(samples) do check.number('gm.Image.samplingFactors', 'factor ' .. i, count) end
         across, down = samples[1], samples[2]
         if #samples == 3 then across, down = samples[1] / samples[2], samples[1] / samples[3] end
      end
      self._sampling = check.one_of('gm.Image.samplingFactors', 'factors',
         tostring(across) .. 'x' .. tostring(down or across), { '1x1', '2x1', '2x2' })
      return self
   end

   local function change(self, name, ...)
      local picture, why = host.change(picture_of(self, name), name, ...)
      self.picture = made(name == 'resize' and 'size' or name, picture, why)
      return self
   end

   -- Returns width and height, or scales to them. A single number is the longer side, a height alone the shorter one.
   function Image:size(width, height, filter)
      local w, h = host.size(picture_of(self, 'size'))
      if not width and not height then return w, h end
      if width then check.size('gm.Image.size', 'width', width) end
      if height then check.size('gm.Image.size', 'height', height) end
      if filter then check.kind('gm.Image.size', 'filter', filter, 'string') end
      if not (width and height) then
         local factor = width and width / math.max(w, h) or height / math.min(w, h)
         width, height = math.max(1, math.floor(w * factor + 0.5)), math.max(1, math.floor(h * factor + 0.5))
      end
      return change(self, 'resize', math.floor(width), math.floor(height), filter)
   end

   -- Properties: each is returned, or set if a value is given.
   function Image:format(format)
      if format == nil then
         return self._format or host.property(picture_of(self, 'format'), 'format')
      end
      self._format = check.kind('gm.Image.format', 'format', format, 'string')
      return self
   end

   for _, name in ipairs { 'type', 'colorspace' } do
      Image[name] = function(self, value)
         if value == nil then return host.property(picture_of(self, name), name) end
         return change(self, name, check.kind('gm.Image.' .. name, name, value, 'string'))
      end
   end

   -- Bits of an element: 8 once the image is changed or becomes a tensor.
   function Image:depth(bits)
      if bits == nil then return host.property(picture_of(self, 'depth'), 'depth') end
      check.integer('gm.Image.depth', 'depth', bits, 8, 8)
      return self
   end

   -- The exponent that a file gives for its display, 0 if it gives none; PNG files store a new value.
   function Image:gamma(exponent)
      if exponent == nil then return host.property(picture_of(self, 'gamma'), 'gamma') end
      host.set_gamma(picture_of(self, 'gamma'), check.number('gm.Image.gamma', 'gamma', exponent))
      return self
   end

   -- Raises the elements of one plane, 'Red', 'Green' or 'Blue', or of all three, to the power 1 / gamma.
   function Image:gammaCorrection(gamma, plane)
      gamma = check.number('gm.Image.gammaCorrection', 'gamma', gamma)
      if not (gamma > 0) then check.argument_error('gm.Image.gammaCorrection', 'gamma', '> 0', gamma) end
      if plane ~= nil then
         check.one_of('gm.Image.gammaCorrection', 'plane', plane, { 'Red', 'Green', 'Blue', 'All' })
      end
      return change(self, 'gammaCorrection', gamma, plane)
   end

   -- Changes whose arguments are numbers that may be left out.
   for name, count in pairs {
      flip = 0, flop = 0, blur = 2, sharpen = 2, negate = 0, equalize = 0, normalize = 0, despeckle = 0, enhance = 0,
      modulate = 3, unsharpMask = 4,
   } do
      Image[name] = function(self, a, b, c, d)
         local given = { a, b, c, d }
         for i = 1, count do
            if given[i] ~= nil then given[i] = check.number('gm.Image.' .. name, 'argument ' .. i, given[i]) end
         end
         return change(self, name, unpack(given, 1, count))
      end
   end

   -- A part of the picture, from column x and row y, which count from 0.
   function Image:crop(width, height, x, y)
      return change(self, 'crop', check.size('gm.Image.crop', 'width', width),
         check.size('gm.Image.crop', 'height', height), check.integer('gm.Image.crop', 'x', x or 0),
         check.integer('gm.Image.crop', 'y', y or 0))
   end

   -- Checks a colour: a name, or red, green and blue from 0 to 1.
   local function colour(name, r, g, b)
      if type(r) == 'string' and not tonumber(r) then return r end
      r = check.number(name, 'red', r or 0)
      return r, check.number(name, 'green', g or 0), check.number(name, 'blue', b or 0)
   end

   -- Turns clockwise; corners get a colour, black without one.
   function Image:rotate(degrees, r, g, b)
      return change(self, 'rotate', check.number('gm.Image.rotate', 'degrees', degrees),
         colour('gm.Image.rotate', r, g, b))
   end

   function Image:addBorder(width, height, r, g, b)
      width = check.integer('gm.Image.addBorder', 'width', width, 0)
      return change(self, 'addBorder', width, check.integer('gm.Image.addBorder', 'height', height or width, 0),
         colour('gm.Image.addBorder', r, g, b))
   end

   function Image:clone()
      local copy = gm.Image()
      copy.picture, copy.path, copy._quality, copy._format = picture_of(self, 'clone'), self.path, self._quality,
         self._format
      copy._interlace, copy._sampling = self._interlace, self._sampling
      return change(copy, 'clone')
   end

   -- The bytes of a profile, 'icc', 'exif' or 'xmp', or nil; with bytes sets it.
   function Image:profile(name, bytes)
      check.kind('gm.Image.profile', 'name', name, 'string')
      local picture = picture_of(self, 'profile')
      if bytes == nil then return host.profile(picture, name) end
      check.kind('gm.Image.profile', 'bytes', bytes, 'string')
      self.picture = made('profile', host.set_profile(picture, name, bytes))
      return self
   end

   function Image:addProfile(name, bytes) return self:profile(name, bytes or '') end

   function Image:removeProfile(name)
      made('removeProfile', host.set_profile(picture_of(self, 'removeProfile'), name))
      return self
   end

   -- The bytes of a file of the picture's format, PNG where it has none.
   function Image:toString(quality)
      local format = self:format()
      local bytes, why = host.encode(picture_of(self, 'toString'), format ~= '' and format or nil,
         options_of(self, 'toString', quality))
      return made('toString', bytes, why)
   end

   function Image:fromString(bytes)
      local picture, why = host.decode(check.kind('gm.Image.fromString', 'bytes', bytes, 'string'))
      self.picture = made('fromString', picture, why)
      return self
   end

   -- The same with the bytes as a ByteTensor.
   function Image:toBlob(quality)
      local bytes = self:toString(quality)
      return torch.ByteTensor(torch.ByteStorage():string(bytes)), #bytes
   end

   -- The bytes may be a string, and fewer of them may be given by their number.
   function Image:fromBlob(bytes, count)
      if type(bytes) ~= 'string' then
         check.tensor('gm.Image.fromBlob', 'bytes', bytes)
         bytes = torch.ByteTensor(bytes:nElement()):copy(bytes):storage():string()
      end
      if count ~= nil then check.integer('gm.Image.fromBlob', 'count', count, 0, #bytes) end
      return self:fromString(string.sub(bytes, 1, count))
   end

   -- A tensor of elements 'byte', or from 0 to 1 'float' or 'double'; see gm/planes.lua for colorspace and dims.
   function Image:toTensor(kind, colorspace, dims)
      kind = check.one_of('gm.Image.toTensor', 'type', kind or 'byte', { 'byte', 'float', 'double' })
      local picture = picture_of(self, 'toTensor')
      return planes.to_tensor(function(count)
         local reader, why = host.pixels(picture, count)
         return exchange.from(made('toTensor', reader, why))
      end, kind, colorspace, dims)
   end

   function Image:fromTensor(x, colorspace, dims)
      local bytes = planes.from_tensor(x, colorspace, dims)
      self.picture = host.make(exchange.address(bytes), bytes:size(1), bytes:size(2), bytes:size(3))
      buffers.keep_alive(bytes)
      return self
   end

   -- Shows the picture where pictures appear.
   function Image:show(zoom)
      return require('image').display { image = self:toTensor('byte', 'RGB', 'DHW'), zoom = zoom, legend = self.path }
   end

   function Image:__tostring__()
      if self.picture == nil then return 'gm.Image()' end
      local width, height = self:size()
      return string.format('gm.Image(%dx%d, %s)', width, height, self:type())
   end

   return gm.Image
end
