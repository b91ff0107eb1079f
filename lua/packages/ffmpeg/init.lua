-- ffmpeg: videos as tensors. ffmpeg.Video{path=, width=, height=, fps=, length=, seek=} or ffmpeg.Video(path) reads a
-- video frame by frame; ffmpeg.save writes one.

local torch = require 'torch'
local check, exchange = require 'torch.base.check', require 'torch.utility.exchange'
local buffers = require 'torch.memory.buffers'
local host = require('torch.native.host').of 'video'

local ffmpeg = {}
rawset(_G, 'ffmpeg', ffmpeg)

local Video = torch.class('ffmpeg.Video', ffmpeg)

local function positive(name, value)
   if value == nil then return nil end
   value = check.number('ffmpeg.Video', name, value)
   if not (value > 0 and value < 2 ^ 31) then check.argument_error('ffmpeg.Video', name, 'a number above 0', value) end
   return value
end

function Video:__init(options)
   if type(options) == 'string' then options = { path = options } end
   check.kind('ffmpeg.Video', 'options', options, 'table')
   self.path = check.kind('ffmpeg.Video', 'path', options.path, 'string')
   self.options = {
      positive('width', options.width), positive('height', options.height), positive('fps', options.fps),
      options.seek and check.number('ffmpeg.Video', 'seek', options.seek) or nil, positive('length', options.length),
   }
   self.type = check.one_of('ffmpeg.Video', 'type', options.type or 'float', { 'float', 'double', 'byte' })
   self:rewind()
end

-- Restarts.
function Video:rewind()
   self:close()
   local o = self.options
   local video, why = host.open(self.path, o[1], o[2], o[3], o[4], o[5])
   if not video then check.fail('ffmpeg.Video', '%s: %s', self.path, why) end
   self.video, self.current = video, 0
   self.width, self.height, self.fps = host.properties(video)
end

-- The next frame, 3 x height x width from 0 to 1, or bytes for the type 'byte'; nil at the end.
function Video:forward()
   local reader = self.video and host.frame(self.video)
   if not reader then return nil end
   self.current = self.current + 1
   local x = exchange.from(reader):permute(3, 1, 2):contiguous()
   if self.type == 'byte' then return x end
   return (self.type == 'float' and x:float() or x:double()):div(255)
end

-- Frames from `offset` on, by default 1, as one tensor: frames x 3 x height x width.
function Video:totensor(options)
   options = check.kind('ffmpeg.Video', 'options', options or {}, 'table')
   local offset = check.size('ffmpeg.Video', 'offset', options.offset or 1)
   local max_frames = options.nb_frames and check.size('ffmpeg.Video', 'nb_frames', options.nb_frames) or math.huge
   self:rewind()
   local frames, i = {}, 0
   while #frames < max_frames do
      local x = self:forward()
      if not x then break end
      i = i + 1
      if i >= offset then frames[#frames + 1] = x:view(1, 3, self.height, self.width) end
   end
   if #frames == 0 then check.fail('ffmpeg.Video', '%s has no frame %d', self.path, offset) end
   return torch.cat(frames, 1)
end

-- Counts the frames of the whole file.
function Video:count()
   local count, why = host.count(self.path)
   if not count then check.fail('ffmpeg.Video', '%s: %s', self.path, why) end
   return count
end

function Video:close()
   if self.video then host.close(self.video) end
   self.video = nil
end

function Video:__tostring__()
   return string.format('ffmpeg.Video(%s, %dx%d at %g fps)', self.path, self.width, self.height, self.fps)
end

-- save(path, frames [, fps]): frames x 3 x height x width, from 0 to 1 or bytes; the extension determines the format.
-- Sizes are even in most formats.
function ffmpeg.save(path, frames, fps)
   check.kind('ffmpeg.save', 'path', path, 'string')
   check.dimensions('ffmpeg.save', 'frames', frames, 4, 4)
   if frames:size(2) ~= 3 then
      check.argument_error('ffmpeg.save', 'frames', 'a tensor of frames x 3 x height x width', frames)
   end
   local video, why = host.writer(path, frames:size(4), frames:size(3), check.number('ffmpeg.save', 'fps', fps or 25))
   if not video then check.fail('ffmpeg.save', '%s: %s', path, why) end
   for i = 1, frames:size(1) do
      local x = frames[i]:permute(2, 3, 1)
      if x:type() ~= 'torch.ByteTensor' then x = torch.mul(x:double(), 255):add(0.5):clamp(0, 255):byte() end
      x = x:contiguous()
      why = why or host.add(video, exchange.address(x))
      buffers.keep_alive(x)
   end
   host.close(video)
   if why then check.fail('ffmpeg.save', '%s: %s', path, why) end
end

return ffmpeg
