"""What `lua/ffmpeg`, `lua/camera` and `lua/libvideo_decoder` call."""

FUNCTIONS = dict.fromkeys(
    (
        "open", "camera", "facts", "count", "frame", "close", "writer", "add",
    ),
    "t7shell.packages.video.films",
)  # fmt: skip
