-- image.display and image.window: show images in a notebook, a terminal or a window, see t7shell/packages/display.

local arguments, picture = require 'image.arguments', require 'image.picture'
local errors, torch = require 'torch.base.errors', require 'torch'
local host = require('torch.native.host').of 'display'
local buffers, native = require 'torch.memory.buffers', require 'torch.native.native'
local address_of = native.address_of
local format, raise = string.format, errors.raise
local max = math.max

local order = { 'image', 'zoom', 'min', 'max', 'legend', 'win', 'x', 'y', 'scaleeach', 'gui', 'offscreen', 'padding',
   'symm', 'nrow', 'saturate' }

local windows = 0

-- A window is shown by its title and the sizes of its images.
local shown = { __tostring = function(window)
   local x = window.image
   return x and format('%s: %s %s', window.title, window.kind, arguments.shape(x)) or window.title
end }

-- A window, which is only a name until something is shown in it.
local function new_window(title)
   windows = windows + 1
   local key = format('image-%d', windows)
   -- The listener is what qt.connect takes.
   return setmetatable({ key = key, title = title or format('image %d', windows), listener = { key = key } }, shown)
end

local function show(window, x, kind)
   x = x:type() == 'torch.ByteTensor' and x or x:float()
   local pixels_buffer = picture.to_pixels(x)
   -- Earlier output must appear before the image.
   io.flush()
   host.show_pixels(window.key, window.title, address_of(pixels_buffer), arguments.sizes(x))
   buffers.keep_alive(pixels_buffer)
   window.image, window.kind = x, kind
   return window
end

return function(image)
   -- display(x) or display{image=, zoom=, min=, max=, legend=, win=, padding=, nrow=, scaleeach=, symm=, saturate=}: an
   -- image, or several side by side. Returns the window, which `win` takes to show the next one in it.
   function image.display(...)
      local p = arguments.named('display', order, ...)
      if not torch.isTensor(p.image) and type(p.image) ~= 'table' then
         raise('display: image must be an image or a table of images (got %s)', arguments.describe(p.image))
      end
      local pixels = image.toDisplayTensor {
         input = p.image, padding = p.padding or (type(p.image) == 'table' or p.image:dim() > 2) and 2 or 0,
         nrow = p.nrow, scaleeach = p.scaleeach, min = p.min, max = p.max, symm = p.symm, saturate = p.saturate,
      }
      local zoom = arguments.number('display', 'zoom', p.zoom, 1)
      if zoom ~= 1 then
         local dim = pixels:dim()
         local width, height = math.floor(pixels:size(dim) * zoom), math.floor(pixels:size(dim - 1) * zoom)
         pixels = image.scale(pixels, max(1, width), max(1, height), zoom > 1 and 'simple' or 'bilinear')
      end
      local window = type(p.win) == 'table' and p.win.key and p.win or new_window(p.legend)
      window.title = p.legend or window.title
      -- A painter of qtwidget gets the image below later drawings.
      if window.canvas then
         window:image(arguments.number('display', 'x', p.x, 0), arguments.number('display', 'y', p.y, 0), pixels)
         return window
      end
      return show(window, pixels, (torch.isTensor(p.image) and p.image or p.image[1]):type())
   end

   -- A window to show images in: image.display{image = x, win = image.window()}.
   function image.window() return new_window() end
end
