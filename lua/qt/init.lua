-- qt: the few objects of Qt that programs hand to qtwidget. There are no widgets, signals or events.

local io, ipairs, rawset, setmetatable, type = io, ipairs, rawset, setmetatable, type
local check = require 'torch.base.check'

local qt = {}
rawset(_G, 'qt', qt)

local function record(name)
   qt[name] = setmetatable({}, {
      __call = function(_, fields) return check.kind(name, 'fields', fields or {}, 'table') end,
   })
end

for _, name in ipairs { 'QFont', 'QSize', 'QRect', 'QPoint' } do record(name) end

-- QColor(red, green, blue [, alpha]) from 0 to 1, or QColor{r=, g=, b=, a=}.
function qt.QColor(r, g, b, a)
   if type(r) == 'table' then return r end
   if type(r) == 'string' then return r end
   return { r = r, g = g, b = b, a = a or 1 }
end

-- QImage.fromTensor(x): a picture for painter:image; its method toTensor gives bytes.
qt.QImage = { fromTensor = function(x) return require('qtwidget').newimage(x) end }

local told = false

-- Nothing is connected: there is no mouse and no keyboard. Says so once.
function qt.connect()
   if not told then
      told = true
      io.stderr:write('t7: qt.connect: windows have no events here; the function is not called\n')
   end
end

function qt.disconnect() end
function qt.doevents() end

return qt
