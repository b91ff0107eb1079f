-- Balls in a box, drawn in a window; the last picture is kept.

require 'image'
require 'qtwidget'

local cmd = torch.CmdLine()
cmd:option('-balls', 5, 'number of balls')
cmd:option('-steps', 40, 'number of pictures')
cmd:option('-seed', 1, 'initial random seed')
cmd:option('-save', 'balls.png', 'file of the last picture')
local opt = cmd:parse(arg or {})

torch.manualSeed(opt.seed)
local side, radius = 200, 12
local place = torch.rand(opt.balls, 2):mul(side - 2 * radius):add(radius)
local speed = torch.randn(opt.balls, 2):mul(6)
local colours = image.jetColormap(opt.balls)
local win = qtwidget.newimage(side, side)

for step = 1, opt.steps do
   place:add(speed)
   -- At a wall the speed turns round.
   local outside = torch.lt(place, radius) + torch.gt(place, side - radius)
   speed[outside:byte()] = speed[outside:byte()] * -1
   place:clamp(radius, side - radius)

   win:gbegin()
   win:showpage()
   for i = 1, opt.balls do
      win:setcolor(colours[i][1], colours[i][2], colours[i][3])
      win:arc(place[i][1], place[i][2], radius, 0, 360)
      win:fill()
   end
   win:setcolor('black')
   win:setfont(qt.QFont { size = 14 })
   win:moveto(8, side - 8)
   win:show('step ' .. step)
   win:gend()
end

win:write(opt.save)
local shown = image.load(opt.save)
print('picture of ' .. table.concat(shown:size():totable(), 'x'))
-- A ball covers an area of about pi * radius^2; some balls may overlap.
local coloured = shown:min(1):lt(0.5):sum()
print('balls are drawn: ' .. tostring(coloured > math.pi * radius ^ 2))
