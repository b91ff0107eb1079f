-- qt: the few objects of Qt that programs hand to qtwidget, timers, and the signals of windows. There are no widgets.

local check, events = require 'torch.base.check', require 'qt.events'

local qt = {}
rawset(_G, 'qt', qt)

local function record(name)
   qt[name] = setmetatable({}, {
      __call = function(_, fields) return check.kind(name, 'fields', fields or {}, 'table') end,
   })
end

for _, name in ipairs { 'QFont', 'QPen', 'QBrush', 'QSize', 'QRect', 'QPoint' } do record(name) end

-- QColor(red, green, blue [, alpha]) from 0 to 1, or QColor{r=, g=, b=, a=}.
function qt.QColor(r, g, b, a)
   if type(r) == 'table' then return r end
   if type(r) == 'string' then return r end
   return { r = r, g = g, b = b, a = a or 1 }
end

-- QImage.fromTensor(x): a picture for painter:image; its method toTensor gives bytes.
qt.QImage = { fromTensor = function(x) return require('qtwidget').newimage(x) end }

-- A window, and what sends its signals: qt.connect(win.listener, 'sigMousePress(int,int,...)', f).
function qt.QtLuaPainter(window) return window end
function qt.QtLuaListener(window) return window end

for _, name in ipairs { 'QTimer', 'connect', 'disconnect', 'doevents' } do qt[name] = events[name] end

return qt
