"""The functions that the packages ffmpeg, camera and libvideo_decoder call."""

FUNCTIONS = {".films": "open camera facts count frame close writer add"}
