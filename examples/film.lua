-- A film is written and read frame by frame, and a moving square is followed by the differences of its frames.

require 'image'
local ffmpeg = require 'ffmpeg'
local md5 = require 'md5'

local cmd = torch.CmdLine()
cmd:option('-file', 'square.mp4', 'where the film is written')
local opt = cmd:parse(arg or {})

local frames = torch.zeros(12, 3, 48, 64)
for i = 1, 12 do frames[{ i, {}, { 17, 28 }, { 4 * i, 4 * i + 11 } }] = 1 end
ffmpeg.save(opt.file, frames, 12)

local video = ffmpeg.Video { path = opt.file, width = 64, height = 48, fps = 12 }
local before, moves = video:forward(), 0
print(('frames of %dx%d'):format(before:size(3), before:size(2)))
local columns = torch.range(1, 64)
-- The center of the bright pixels.
local function middle(frame)
   local bright = image.rgb2y(frame)[1]:sum(1):view(-1)
   return torch.dot(bright, columns:typeAs(bright)) / bright:sum()
end
local first = middle(before)
while true do
   local frame = video:forward()
   if not frame then break end
   if torch.dist(frame, before) > 1 then moves = moves + 1 end
   before = frame
end
print(moves .. ' frames differ from the one before')
print(('the square moved %.0f pixels'):format(middle(before) - first))
local file = assert(io.open(opt.file, 'rb'))
print('digits of the digest: ' .. #md5.sumhexa(file:read('*a')))
file:close()
