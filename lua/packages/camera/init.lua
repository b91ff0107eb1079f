-- camera: image.Camera{idx=0, width=640, height=480, fps=30}, whose forward() gives frames of 3 x height x width.

local torch, image = require 'torch', require 'image'
local check, exchange = require 'torch.base.check', require 'torch.utility.exchange'
local host = require('torch.native.host').of 'video'

local camera = {}
rawset(_G, 'camera', camera)

local Camera = torch.class('image.Camera', image)

function Camera:__init(options)
   if type(options) ~= 'table' then options = { idx = options } end
   local function size(name, default) return check.size('image.Camera', name, options[name] or default) end
   self.idx = check.integer('image.Camera', 'idx', options.idx or 0, 0)
   self.width, self.height, self.fps = size('width', 640), size('height', 480), size('fps', 30)
   local video, why = host.camera(self.idx, self.width, self.height, self.fps)
   if not video then check.fail('image.Camera', '%s', why) end
   self.video = video
   self.width, self.height = host.properties(video)
end

-- The next frame, from 0 to 1.
function Camera:forward()
   local reader = self.video and host.frame(self.video)
   if not reader then check.fail('image.Camera', 'camera %d was stopped', self.idx) end
   return exchange.from(reader):permute(3, 1, 2):contiguous():type(torch.getdefaulttensortype()):div(255)
end

function Camera:stop()
   if self.video then host.close(self.video) end
   self.video = nil
end

camera.Camera = image.Camera

return camera
