-- Drawing in windows and images of qtwidget: paths, text and pictures. Coordinates are pixels from the upper left
-- corner.

local torch = require 'torch'
local check, exchange = require 'torch.base.check', require 'torch.utility.exchange'
local events, host = require 'qt.events', require('torch.native.host').of 'qtwidget'
local native, buffers = require 'torch.native.native', require 'torch.memory.buffers'

local MAX_SIDE = 2 ^ 15 - 1     -- pixels of a side

return function(qtwidget)
   local Painter = torch.class('qtwidget.Painter', qtwidget)

   local count = 0

   function Painter:__init(name, width, height, title, shown)
      count = count + 1
      self.key = string.format('window-%d', count)
      self.title = title or string.format('window %d', count)
      local canvas, why = host.new(self.key, self.title, width, height, shown)
      if not canvas then check.fail(name, '%s', why) end
      self.canvas, self.width, self.height, self.depth = canvas, width, height, 32
      -- Names by which programs reach the parts of a window of Qt.
      self.painter, self.port = self, self
      self.widget, self.listener = { windowTitle = self.title, key = self.key }, { key = self.key }
      if shown then events.add(self.key) end
   end

   local function paint(self, name, ...)
      local why = host.paint(self.canvas, name, ...)
      if why then check.fail('qtwidget.' .. name, '%s', why) end
   end

   -- Operations by the number of numbers that they take.
   for name, numbers in pairs {
      showpage = 0, gsave = 0, grestore = 0, setlinewidth = 1, translate = 2, scale = 2, rotate = 1, initmatrix = 0,
      newpath = 0, moveto = 2, lineto = 2, rmoveto = 2, rlineto = 2, curveto = 6, arc = 5, arcn = 5, rectangle = 4,
      closepath = 0, stroke = 0, fill = 0, clip = 0, initclip = 0,
   } do
      Painter[name] = function(self, ...)
         local given = { ... }
         for i = 1, numbers do given[i] = check.number('qtwidget.' .. name, 'argument ' .. i, given[i]) end
         paint(self, name, unpack(given, 1, numbers))
      end
   end

   -- Drawing is shown when the input ends, so these methods do nothing.
   for _, name in ipairs { 'gbegin', 'gend', 'refresh', 'setmode', 'sethints' } do
      Painter[name] = function() return true end
   end

   -- Whether the window has not been closed.
   function Painter:valid() return events.valid(self.key) end

   function Painter:close() events.close(self.key) end

   -- Passes a colour: a name, red, green, blue [, alpha] from 0 to 1, or a qt.QColor.
   local function set_colour(self, name, r, g, b, a)
      if type(r) == 'table' then r, g, b, a = r.r, r.g, r.b, r.a end
      if type(r) == 'string' and not tonumber(r) then return paint(self, name, r) end
      local given = { r, g, b, a == nil and 1 or a }
      for i = 1, 4 do given[i] = check.number('qtwidget.' .. name, 'argument ' .. i, given[i]) end
      paint(self, name, unpack(given))
   end

   -- The colour of lines, text and areas.
   function Painter:setcolor(...) set_colour(self, 'setcolor', ...) end

   -- setpen(qt.QPen{color=, width=}): lines and text; a colour alone keeps the width.
   function Painter:setpen(...)
      local pen = ...
      if type(pen) ~= 'table' or pen.r then return set_colour(self, 'setpen', ...) end
      if pen.width ~= nil then self:setlinewidth(pen.width) end
      if pen.color ~= nil then set_colour(self, 'setpen', pen.color) end
   end

   -- setbrush(qt.QBrush{color=}): areas.
   function Painter:setbrush(...)
      local brush = ...
      set_colour(self, 'setbrush', type(brush) == 'table' and brush.color or brush, select(2, ...))
   end

   -- setfont(qt.QFont{size=, serif=, italic=, bold=}).
   function Painter:setfont(font)
      check.kind('qtwidget.setfont', 'font', font, 'table')
      paint(self, 'setfont', check.number('qtwidget.setfont', 'size', font.size or 12), font.serif == true,
         font.italic == true, font.bold == true)
   end

   function Painter:setfontsize(size) self:setfont { size = size } end

   -- show(text) at the current point; show(text, x, y, width, height) in the middle of a rectangle.
   function Painter:show(text, x, y, width, height)
      if text == nil then return end
      text = type(text) == 'number' and tostring(text) or check.kind('qtwidget.show', 'text', text, 'string')
      if x == nil then return paint(self, 'show', text) end
      local area = { x, y, width, height }
      for i = 1, 4 do area[i] = check.number('qtwidget.show', 'argument ' .. i + 1, area[i]) end
      paint(self, 'show', text, unpack(area))
   end

   -- Overlapping parts of a path are inside it, too.
   Painter.eofill, Painter.eoclip = Painter.fill, Painter.clip

   -- Width and height of a text in the font.
   function Painter:stringwidth(text)
      return host.extent(self.canvas, check.kind('qtwidget.stringwidth', 'text', text, 'string'))
   end

   function Painter:currentpoint() return host.position(self.canvas) end

   -- image(x, y, picture) or image(x, y, width, height, picture) draws a tensor or a painter; image() is the painter.
   function Painter:image(x, y, ...)
      if x == nil then return self end
      local width, height, picture = ...
      if picture == nil then picture, width, height = width, nil, nil end
      x, y = check.number('qtwidget.image', 'x', x), check.number('qtwidget.image', 'y', y)
      if type(picture) == 'table' and picture.toTensor then picture = picture:toTensor() end
      check.dimensions('qtwidget.image', 'picture', picture, 2, 3)
      if picture:type() ~= 'torch.ByteTensor' then picture = picture:float() end
      local planes, rows, columns = require('image.arguments').sizes(picture)
      if planes > 4 or picture:nElement() == 0 then
         check.argument_error('qtwidget.image', 'picture', 'a tensor of 1 to 4 planes', picture)
      end
      local pixels = require('image.picture').to_pixels(picture)
      host.place(self.canvas, native.address_of(pixels), planes, rows, columns, x, y,
         check.integer('qtwidget.image', 'width', width or columns, 1, MAX_SIDE),
         check.integer('qtwidget.image', 'height', height or rows, 1, MAX_SIDE))
      buffers.keep_alive(pixels)
   end

   function Painter:resize(width, height)
      self.width, self.height = check.size('qtwidget.resize', 'width', width),
         check.size('qtwidget.resize', 'height', height)
      paint(self, 'resize', self.width, self.height)
   end

   function Painter:size() return self.width, self.height end

   -- A ByteTensor of 3 x height x width.
   function Painter:toTensor() return exchange.from(host.pixels(self.canvas)):permute(3, 1, 2):contiguous() end

   function Painter:write(path)
      local why = host.write(self.canvas, check.kind('qtwidget.write', 'path', path, 'string'))
      if why then check.fail('qtwidget.write', '%s: %s', path, why) end
   end

   function Painter:__tostring__() return string.format('qtwidget.Painter(%dx%d)', self.width, self.height) end

   return qtwidget.Painter
end
