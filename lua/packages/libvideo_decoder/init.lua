-- libvideo_decoder: one video at a time: init(path), frame_rgb(tensor) for each frame, exit().

local check, exchange = require 'torch.base.check', require 'torch.utility.exchange'
local host = require('torch.native.host').of 'video'

local decoder = {}

local video

function decoder.exit()
   if video then host.close(video) end
   video = nil
end

-- Returns whether the video can be read, its height, width, number of frames, and frames per second.
function decoder.init(path)
   check.kind('video_decoder.init', 'path', path, 'string')
   decoder.exit()
   local why
   video, why = host.open(path)
   if not video then check.fail('video_decoder.init', '%s: %s', path, why) end
   local width, height, fps = host.properties(video)
   return true, height, width, host.count(path) or 0, fps
end

-- Copies the next frame to a ByteTensor of 3 x height x width; returns false at the end.
function decoder.frame_rgb(x)
   check.tensor('video_decoder.frame_rgb', 'argument 1', x)
   if not video then check.fail('video_decoder.frame_rgb', 'init(path) must be called first') end
   local reader = host.frame(video)
   if not reader then return false end
   local frame = exchange.from(reader):permute(3, 1, 2)
   check.same_size('video_decoder.frame_rgb', 'argument 1', x, frame)
   x:copy(frame)
   return true
end

return decoder
