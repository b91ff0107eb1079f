"""Sound files: WAV by SciPy, other formats by soundfile. Samples have the scale of 32-bit integers."""

from __future__ import annotations

import os
import struct
import tempfile
import warnings
from typing import Any

import numpy as np
from scipy.io import wavfile

from t7shell.host import encoding
from t7shell.host.atomic_write import replacing
from t7shell.host.child_process import in_child
from t7shell.host.failures import returning_failures, returning_reasons
from t7shell.packages.exchange.values import Reader, Writer

_FAILURES = (OSError, ValueError, TypeError, RuntimeError, EOFError, struct.error, MemoryError)
_MISSING = "formats other than WAV need soundfile: python3 -m pip install soundfile"
_DAMAGED = "the file is damaged: no rate or no samples"
# SciPy's message for truncated files, in newer versions.
_INCOMPLETE = ("Unexpected end", "Incomplete chunk", "No fmt chunk")
_FULL = 2.0**31
_BLOCK = 2**20
# Seconds for a file, and for each byte of it.
_TIMEOUT, _PER_BYTE = 20, 1e-4
# Of soundfile, which chooses a reader by content.
_FORMATS = {"AIFF", "AU", "CAF", "FLAC", "MP3", "OGG", "RF64", "SVX", "VOC", "W64", "WAV", "WAVEX"}


def _library() -> Any:
    try:
        import soundfile
    except (ImportError, OSError):
        raise ValueError(_MISSING) from None
    return soundfile


# The readers raise many exceptions: UnboundLocalError where a part of a file is missing ...
@returning_failures(Exception)
def load(path: str) -> Reader:
    """The samples of a file, samples x channels, and the sampling rate in Hz."""
    name = encoding.path_of(path)
    with open(name, "rb") as file:
        is_wav = file.read(4) in (b"RIFF", b"RIFX", b"RF64")
    values, rate = _wav(name) if is_wav else _others(name)
    if not values.size:
        raise ValueError(_DAMAGED)
    return Reader([values.reshape(len(values), -1), float(rate)])


def _wav(name: str) -> tuple[Any, float]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", wavfile.WavFileWarning)
        try:
            rate, samples = wavfile.read(name)
        except (UnboundLocalError, ZeroDivisionError, struct.error):
            raise ValueError(_DAMAGED) from None
        except ValueError as reason:
            raise ValueError(_DAMAGED if str(reason).startswith(_INCOMPLETE) else str(reason)) from None
        return _scaled(samples), rate


def _others(name: str) -> tuple[Any, float]:
    """By soundfile, whose C library may crash on damaged files, and writes notes about them."""
    _library()
    with tempfile.TemporaryDirectory(prefix="t7-") as folder:
        # Its extension would choose a format, and some formats have parts in files next to it.
        link = os.path.join(folder, "sound")
        os.symlink(os.path.abspath(name), link)
        return in_child(lambda: _decoded(link), _TIMEOUT + _PER_BYTE * os.path.getsize(name))


def _decoded(name: str) -> tuple[Any, float]:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1), os.dup2(nothing, 2)
    library = _library()
    try:
        sound = library.SoundFile(name)
    except library.LibsndfileError as reason:
        raise ValueError(f"no sound, or a damaged file ({reason.error_string.strip(' .')})") from None
    if sound.format not in _FORMATS:
        raise ValueError(f"files of the format {sound.format} are not read")
    # A header may claim more than there is.
    blocks: list[Any] = []
    while not blocks or len(blocks[-1]) == _BLOCK:
        blocks.append(sound.read(_BLOCK, always_2d=True))
    return np.concatenate(blocks) * _FULL, sound.samplerate


def _scaled(samples: Any) -> Any:
    values = samples.astype(np.float64)
    if samples.dtype == np.uint8:
        return (values - 128) * 2.0**24
    if samples.dtype == np.int16:
        return values * 2.0**16
    return values * _FULL if samples.dtype.kind == "f" else values


@returning_reasons(*_FAILURES)
def save(path: str, writer: Writer, rate: float) -> None:
    """Writes samples with 16 bits each."""
    name = encoding.path_of(path)
    steps = np.clip(np.rint(np.asarray(writer.value, np.float64) / 2.0**16), -(2**15), 2**15 - 1).astype(
        np.int16
    )
    is_wav = name.lower().endswith(".wav")
    library = None if is_wav else _library()
    with replacing(path) as file:
        if library is None:
            wavfile.write(file, int(rate), steps)
        else:
            library.write(file, steps, int(rate), format=os.path.splitext(name)[1][1:].upper())
