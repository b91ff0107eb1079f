"""The functions that `lua/ffmpeg`, `lua/camera` and `lua/libvideo_decoder` call."""

FUNCTIONS = {".films": "open camera facts count frame close writer add"}
