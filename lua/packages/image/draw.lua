-- image.drawRect and image.drawText.

local ffi, arguments = require 'ffi', require 'image.arguments'
local errors = require 'torch.base.errors'
local raise, require, tonumber, tostring, type = errors.raise, require, tonumber, tostring, type

local glyphs            -- character -> its rows, read when something is first written

local function glyph_of(character)
   if not glyphs then
      glyphs = {}
      for name, dots in string.gmatch(require 'image.font', '(%S) ([^\n]+)\n') do
         local rows = {}
         for row in string.gmatch(dots, '%S+') do rows[#rows + 1] = row end
         glyphs[name] = rows
      end
   end
   return glyphs[character]
end

-- The target of a drawing: the image itself or a copy.
local function canvas(name, x, options)
   arguments.check_planes(name, arguments.image(name, x, 3, 3), 3)
   if options ~= nil and type(options) ~= 'table' then
      raise('%s: options must be a table (got %s)', name, arguments.describe(options))
   end
   return options and options.inplace and x or x:clone()
end

-- A colour of three whole numbers up to 255 as values of the image.
local function colour_of(name, x, colour)
   if type(colour) ~= 'table' or #colour ~= 3 then
      raise('%s: colour must be a table of 3 numbers from 0 to 255 (got %s)', name, arguments.describe(colour))
   end
   local values = {}
   for i = 1, 3 do
      local value = math.max(0, math.min(255, arguments.integer(name, 'a colour', colour[i])))
      -- As in the original a part of 255 is a float, whatever the type of the image.
      values[i] = x:type() == 'torch.ByteTensor' and value or tonumber(ffi.new('float', value / 255))
   end
   return values
end

-- Fills the part of a box that is within the image; corners count from 1.
local function fill(x, left, top, right, bottom, values)
   left, top = math.max(left, 1), math.max(top, 1)
   right, bottom = math.min(right, x:size(3)), math.min(bottom, x:size(2))
   if left > right or top > bottom then return end
   local part = x:narrow(2, top, bottom - top + 1):narrow(3, left, right - left + 1)
   for i = 1, 3 do part[i]:fill(values[i]) end
end

-- Writes one character with its upper left corner at column `left` and row `top`.
local function write(x, character, left, top, size, values, background)
   if background then fill(x, left, top, left + 6 * size - 1, top + 8 * size - 1, background) end
   local rows = glyph_of(character)
   if not rows then return end
   for row = 1, #rows do
      for column = 1, 5 do
         if string.sub(rows[row], column, column) == '#' then
            local at, down = left + (column - 1) * size, top + (row - 1) * size
            fill(x, at, down, at + size - 1, down + size - 1, values)
         end
      end
   end
end

return function(image)
   -- drawRect(x, x1, y1, x2, y2 [, options]): a frame through two corners; options lineWidth, color, inplace. Of a
   -- frame whose second corner is left of or above the first, the lines that have a length are drawn.
   function image.drawRect(x, x1, y1, x2, y2, options)
      local y = canvas('drawRect', x, options)
      options = options or {}
      local values = colour_of('drawRect', y, options.color or { 255, 0, 0 })
      local width = arguments.integer('drawRect', 'lineWidth', options.lineWidth, 1)
      local corner = {
         x1 = arguments.integer('drawRect', 'x1', x1), y1 = arguments.integer('drawRect', 'y1', y1),
         x2 = arguments.integer('drawRect', 'x2', x2), y2 = arguments.integer('drawRect', 'y2', y2),
      }
      local before = math.floor(width / 2)
      local left, top, right, bottom = corner.x1 - before, corner.y1 - before, corner.x2 - before, corner.y2 - before
      local more = width - 1
      fill(y, left, top, right + more, top + more, values)
      fill(y, left, bottom, right + more, bottom + more, values)
      fill(y, left, top, left + more, bottom + more, values)
      fill(y, right, top, right + more, bottom + more, values)
      return y
   end

   -- drawText(x, text, column, row [, options]): options color, bg, size, wrap, inplace; column and row count from 0
   -- and are 1 by default. As in the original a background with a -1 is none.
   function image.drawText(x, text, column, row, options)
      local y = canvas('drawText', x, options)
      options = options or {}
      if type(text) ~= 'string' and type(text) ~= 'number' then
         raise('drawText: argument 2 must be a string (got %s)', arguments.describe(text))
      end
      -- Text that is blank leaves its background out, too.
      if not string.find(text, '%S') then return y end
      local start = arguments.integer('drawText', 'x', column, 1) + 1
      local top = arguments.integer('drawText', 'y', row, 1) + 1
      local values = colour_of('drawText', y, options.color or { 255, 0, 0 })
      local background = options.bg and colour_of('drawText', y, options.bg)
      if background and (options.bg[1] == -1 or options.bg[2] == -1 or options.bg[3] == -1) then background = nil end
      local size = math.max(1, arguments.integer('drawText', 'size', options.size, 1))
      local wrap = options.wrap ~= false
      local left = start
      for character in string.gmatch(tostring(text), '.') do
         if character == '\n' then
            left, top = start, top + 8 * size
         elseif character ~= '\r' then
            -- A line wraps to the left edge, as in the original.
            if wrap and left + 6 * size > y:size(3) then left, top = 1, top + 8 * size end
            write(y, character, left, top, size, values, background)
            left = left + 6 * size
         end
      end
      return y
   end
end
