-- qtwidget: windows to draw in, as tutorials used those of Qt. A window appears where pictures do; in a window of the
-- system it is drawn from time to time, and elsewhere when the input has ended. There is no mouse and no keyboard.

require 'qt'
local torch = require 'torch'
local check = require 'torch.base.check'

local qtwidget = {}
rawset(_G, 'qtwidget', qtwidget)

local Painter = require 'qtwidget.Painter' (qtwidget)

-- newwindow(width, height [, title]).
function qtwidget.newwindow(width, height, title)
   if title ~= nil then check.kind('newwindow', 'title', title, 'string') end
   check.size('newwindow', 'width', width)
   return Painter('newwindow', width, check.size('newwindow', 'height', height), title, true)
end

-- newimage(width, height), newimage(path) or newimage(tensor): a picture that is not shown.
function qtwidget.newimage(width, height)
   if type(width) == 'string' or torch.isTensor(width) then
      local image = require 'image'
      local x = type(width) == 'string' and image.load(width, 3) or width
      check.dimensions('newimage', 'image', x, 2, 3)
      local made = Painter('newimage', x:size(x:dim()), x:size(x:dim() - 1), nil, false)
      made:image(0, 0, x)
      return made
   end
   return Painter('newimage', check.size('newimage', 'width', width), check.size('newimage', 'height', height), nil,
      false)
end

return qtwidget
