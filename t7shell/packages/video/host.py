"""What `lua/ffmpeg`, `lua/camera` and `lua/libvideo_decoder` call.

=========  ===================================================================================================
open       (path, width, height, fps, seek, length) -> film; or (None, message). 0 and nil mean as it is
camera     (index, width, height, fps) -> film; or (None, message)
facts      (film) -> width, height, frames per second
count      (path) -> how many frames a file has; or (None, message)
frame      (film) -> reader of bytes, height x width x 3; nil at the end
close      (film)
writer     (path, width, height, fps) -> film to be written; or (None, message)
add        (writer, address): bytes of a frame, height x width x 3; why it failed, or None
=========  ===================================================================================================
"""

_FILMS = "t7shell.packages.video.films"

FUNCTIONS = {name: _FILMS for name in ("open", "camera", "facts", "count", "frame", "close", "writer", "add")}
