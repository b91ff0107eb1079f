"""Sound files: WAV by SciPy, other formats by soundfile. Samples have the scale of 32-bit integers."""

from __future__ import annotations

import struct
import warnings
from typing import Any

import numpy as np
from scipy.io import wavfile

from t7shell.host import encoding
from t7shell.host.failures import returning_failures, returning_reasons
from t7shell.packages.exchange.values import Reader, Writer

_FAILURES = (OSError, ValueError, TypeError, RuntimeError, EOFError, struct.error, MemoryError)
_MISSING = "formats other than WAV need soundfile: python3 -m pip install soundfile"
_FULL = 2.0**31
# Of soundfile, which chooses a reader by content.
_FORMATS = {"AIFF", "AU", "CAF", "FLAC", "MP3", "OGG", "RF64", "SVX", "VOC", "W64", "WAV", "WAVEX"}


def _library() -> Any:
    try:
        import soundfile
    except (ImportError, OSError):
        raise ValueError(_MISSING) from None
    return soundfile


@returning_failures(*_FAILURES)
def load(path: str) -> Reader:
    """The samples of a file, moments x channels, and the sampling rate in Hz."""
    name = encoding.path_of(path)
    with open(name, "rb") as file:
        is_wav = file.read(4) in (b"RIFF", b"RIFX", b"RF64")
    if is_wav:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wavfile.WavFileWarning)
            rate, samples = wavfile.read(name)
        values = _scaled(samples)
    else:
        with _library().SoundFile(name) as sound:
            if sound.format not in _FORMATS:
                raise ValueError(f"files of the format {sound.format} are not read")
            values, rate = sound.read() * _FULL, sound.samplerate
    return Reader([values.reshape(len(values), -1), float(rate)])


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
    if name.lower().endswith(".wav"):
        wavfile.write(name, int(rate), steps)
    else:
        _library().write(name, steps, int(rate))
