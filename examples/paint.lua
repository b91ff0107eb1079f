-- A picture drawn by calls of qtwidget: a path that bounces within a frame. With -window it is a window, in which a
-- click adds a dot and the key Q closes it.

require 'image'
require 'qt'
require 'qtwidget'

local cmd = torch.CmdLine()
cmd:option('-window', false, 'paint in a window, and wait for the mouse')
cmd:option('-file', 'painting.png', 'where the picture is written')
local opt = cmd:parse(arg or {})

local width, height = 320, 200
local win = opt.window and qtwidget.newwindow(width, height, 'paint') or qtwidget.newimage(width, height)

local function dot(x, y, color)
   win:setcolor(color)
   win:arc(x, y, 6, 0, 360)
   win:fill()
end

image.display { image = image.scale(image.lena(), 80, 80), win = win, x = 230, y = 10 }
win:setcolor(0.2, 0.2, 0.8)
win:setlinewidth(2)
win:rectangle(1, 1, width - 2, height - 2)
win:stroke()

local x, y, dx, dy = 20, 30, 29, 17
win:moveto(x, y)
local corners = 0
for _ = 1, 60 do
   if x + dx < 0 or x + dx > width then dx, corners = -dx, corners + 1 end
   if y + dy < 0 or y + dy > height then dy, corners = -dy, corners + 1 end
   x, y = x + dx, y + dy
   win:lineto(x, y)
end
win:stroke()
dot(x, y, 'red')

win:setfont(qt.QFont { serif = true, size = 14 })
win:moveto(20, 190)
win:show('it bounced ' .. corners .. ' times')
win:write(opt.file)

local painted = image.load(opt.file, 3)
print('it bounced ' .. corners .. ' times')
print('the last dot is red: ' .. tostring(painted[1][y + 1][x + 1] == 1 and painted[2][y + 1][x + 1] == 0))

if opt.window then
   qt.connect(win.listener, 'sigMousePress(int,int,QByteArray,QByteArray,QByteArray)', function(right, down, button)
      dot(right, down, button == 'LeftButton' and 'green' or 'orange')
   end)
   qt.connect(win.listener, 'sigKeyPress(QString,QByteArray,QByteArray)', function(_, key)
      if key == 'Key_Q' then win:close() end
   end)
end
