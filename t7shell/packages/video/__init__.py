"""Videos and cameras by imageio-ffmpeg: Python's part of `ffmpeg`, `camera` and `libvideo_decoder`."""

FUNCTIONS = {".videos": "open camera properties count frame close writer add"}
