"""Films and cameras by imageio-ffmpeg: Python's part of `ffmpeg`, `camera` and `libvideo_decoder`."""

FUNCTIONS = {".films": "open camera facts count frame close writer add"}
