"""Films and cameras by imageio-ffmpeg: Python's part of `ffmpeg`, `camera` and `libvideo_decoder`."""
