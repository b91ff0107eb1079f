-- video_decoder: libvideo_decoder under its other name.

return require 'libvideo_decoder'
