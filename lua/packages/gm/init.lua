-- gm: the interface of GraphicsMagick, implemented by Pillow. gm.Image is a picture; methods that change it return it,
-- so that calls are chained.

local accepted_options, check = require 'torch.base.accepted_options', require 'torch.base.check'

local gm = {}
rawset(_G, 'gm', gm)

local Image = require 'gm.Image' (gm)

-- Loads a picture and returns its width, height, format, type, depth in bits and colorspace.
function gm.info(path)
   local picture = Image(check.kind('gm.info', 'path', path, 'string'))
   local width, height = picture:size()
   return {
      width = width, height = height, format = picture:format(), type = picture:type(), depth = picture:depth(),
      colorspace = picture:colorspace(),
   }
end

-- gm.convert{input=, output=, size='WxH' | 'W', quality=, rotate=, vflip=, hflip=, format=, verbose=}: reads a
-- picture, changes it, and writes it.
function gm.convert(options)
   check.kind('gm.convert', 'options', options, 'table')
   for name in pairs(options) do
      if not accepted_options['gm.convert'][name] then
         check.fail('gm.convert', "there is no option '%s'", tostring(name))
      end
   end
   check.kind('gm.convert', 'input', options.input, 'string')
   check.kind('gm.convert', 'output', options.output, 'string')
   local picture = Image(options.input)
   if options.size then
      local width, height = string.match(tostring(options.size), '^(%d+)x?(%d*)$')
      if not width then check.argument_error('gm.convert', 'size', "'WxH' or 'W'", options.size) end
      picture:size(tonumber(width), tonumber(height))
   end
   if options.vflip then picture:flip() end
   if options.hflip then picture:flop() end
   if options.rotate then picture:rotate(options.rotate) end
   if options.format then picture:format(options.format) end
   if options.verbose then print(string.format('%s -> %s', options.input, options.output)) end
   picture:save(options.output, options.quality)
end

return gm
