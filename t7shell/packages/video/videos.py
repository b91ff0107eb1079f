"""Videos from files and cameras, frame by frame, by the program ffmpeg that imageio-ffmpeg includes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Generator
from typing import Any

import numpy as np

from t7shell.host import encoding
from t7shell.host.failures import message, returning_failures, returning_reasons
from t7shell.host.memory import vector
from t7shell.packages.exchange.values import Reader

Failure = tuple[None, str]

_MISSING = "films need imageio-ffmpeg: python3 -m pip install imageio-ffmpeg"
_FAILURES = (OSError, RuntimeError, ValueError, IndexError, KeyError, MemoryError)
# ffmpeg chooses a demuxer by content. Those for playlists open other files and addresses, and those for
# scripts run them.
_FORMATS = (
    "3dostr,apng,asf,avi,av1,dirac,dv,flic,flv,gif,h261,h263,h264,hevc,ivf,m4v,matroska,mjpeg,mov,mpeg,mpegts,"
    "mpegvideo,mxf,nut,obu,ogg,rm,roq,smjpeg,swf,vc1,webp_anim,wtv,yuv4mpegpipe"
)
_LIMITS = ["-protocol_whitelist", "file", "-format_whitelist", _FORMATS]


def _library() -> Any:
    try:
        import imageio_ffmpeg
    except ImportError:
        raise RuntimeError(_MISSING) from None
    return imageio_ffmpeg


def _file_of(path: str) -> str:
    """The absolute path of a file, since ffmpeg takes 'concat:a' and 'https://...' for addresses."""
    return os.path.abspath(encoding.path_of(path))


def _short(reason: Exception, name: str) -> str:
    """The line of ffmpeg's output that has the error."""
    lines = [line.strip() for line in message(reason).splitlines() if line.strip()]
    for line in reversed(lines):
        if name in line and ":" in line:
            return line.rpartition(":")[2].strip() or line
    return lines[-1] if lines else type(reason).__name__


class Video:
    """The frames of a video, one after the other."""

    def __init__(self, name: str, input_params: list[str], output_params: list[str]) -> None:
        self.frames: Generator[Any, None, None] = _library().read_frames(
            name, pix_fmt="rgb24", input_params=input_params, output_params=output_params
        )
        metadata: dict[str, Any] = next(self.frames)
        self.width, self.height = metadata["size"]
        self.rate = float(metadata["fps"])


def _start(name: str, input_params: list[str], output_params: list[str]) -> Video | Failure:
    try:
        return Video(name, input_params, output_params)
    except StopIteration:
        return None, "no frame can be read"
    except _FAILURES as reason:
        return None, _short(reason, name)


@returning_failures(RuntimeError)
def open(
    path: str,
    width: float | None = None,
    height: float | None = None,
    rate: float | None = None,
    seek: float | None = None,
    length: float | None = None,
) -> Video | Failure:
    """Opens a video file: width and height in pixels, frames per second, start time and duration in seconds.

    0 and None leave a property as it is in the file.
    """
    _library()
    name = _file_of(path)
    if not os.path.isfile(name):
        return None, "No such file or directory"
    before = [*_LIMITS, *(["-ss", str(seek)] if seek else [])]
    after = ["-t", str(length)] if length else []
    filters = [f"scale={int(width or -1)}:{int(height or -1)}"] if width or height else []
    if rate:
        filters.append(f"fps={rate}")
    return _start(name, before, [*after, *(["-vf", ",".join(filters)] if filters else [])])


@returning_failures(RuntimeError)
def camera(index: float, width: float, height: float, rate: float) -> Video | Failure:
    """Opens a camera of this machine, by its number from 0; the rate is in frames per second."""
    _library()
    size = ["-framerate", str(rate), "-video_size", f"{int(width)}x{int(height)}"]
    if sys.platform == "darwin":
        return _start(str(int(index)), ["-f", "avfoundation", *size], [])
    name = f"/dev/video{int(index)}"
    if not sys.platform.startswith("linux") or not os.path.exists(name):
        return None, f"there is no camera {int(index)}"
    return _start(name, ["-f", "v4l2", *size], ["-vf", f"scale={int(width)}:{int(height)}"])


def properties(video: Video) -> tuple[float, float, float]:
    """Width and height in pixels, and frames per second."""
    return float(video.width), float(video.height), video.rate


def count(path: str) -> float | Failure:
    """How many frames a file has."""
    name = _file_of(path)
    try:
        command = [_library().get_ffmpeg_exe(), *_LIMITS, "-i", name, "-map", "0:v:0", "-f", "null", "-"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
        output = done.stderr.decode("utf-8", "replace")
        counts = re.findall(r"frame= *(\d+)", output)
        if done.returncode or not counts:
            raise RuntimeError(output)
        return float(counts[-1])
    except _FAILURES as reason:
        return None, _short(reason, name)


def frame(video: Video) -> Reader | None:
    """The next frame, height x width x 3 bytes; None at the end."""
    content = next(video.frames, None)
    if content is None:
        return None
    return Reader(np.frombuffer(content, np.uint8).reshape(video.height, video.width, 3))


def close(video: Video | Writer) -> None:
    """Ends reading a video, or completes the file of one that is being written."""
    video.frames.close()


class Writer:
    """A video file that is being written."""

    def __init__(self, path: str, width: int, height: int, rate: float) -> None:
        self.size = width * height * 3
        self.frames: Generator[None, Any, None] = _library().write_frames(
            path, (width, height), fps=rate, macro_block_size=1, ffmpeg_log_level="error"
        )
        self.frames.send(None)


def writer(path: str, width: float, height: float, rate: float) -> Writer | Failure:
    """Creates a video file, whose extension determines the format; the rate is in frames per second."""
    try:
        return Writer(encoding.path_of(path), int(width), int(height), rate)
    except _FAILURES as reason:
        return None, _short(reason, path)


@returning_reasons(*_FAILURES)
def add(writer: Writer, address: float) -> None:
    """Appends a frame, height x width x 3 bytes; returns why it failed, or None."""
    writer.frames.send(vector(int(address), "uint8", writer.size, 1).tobytes())
