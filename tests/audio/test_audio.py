"""audio against SciPy's WAV files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.io import wavfile

from t7shell import Runtime
from tests.runtimes import assert_error


@pytest.mark.parametrize(
    ("dtype", "scale", "shift"),
    [(np.int16, 2**16, 0), (np.int32, 1, 0), (np.uint8, 2**24, 128), (np.float32, 2**31, 0)],
)
def test_files_are_read(tmp_path: Path, dtype: type, scale: int, shift: int) -> None:
    samples = (np.random.default_rng(1).random((50, 2)) * 100).astype(dtype)
    if dtype is np.float32:
        samples /= 100
    wavfile.write(tmp_path / "a.wav", 8000, samples)
    lua = Runtime()
    lua.globals()["path"] = str(tmp_path / "a.wav")
    lua.execute("audio = require 'audio' x, rate = audio.load(path)")
    assert lua.eval("rate") == 8000
    assert (np.array(lua.eval("x")) == (samples.astype(float) - shift) * scale).all()


def test_files_are_written_and_spectra(tmp_path: Path) -> None:
    lua = Runtime()
    lua.globals()["path"] = str(tmp_path / "a.wav")
    lua.execute("""
    audio = require 'audio' x = torch.range(0, 79):mul(2 * math.pi / 8):sin():mul(2 ^ 30)
    audio.save(path, x, 8000) y = audio.load(path) p = audio.spectrogram(y, 16, 'rect', 8)
    """)
    rate, found = wavfile.read(tmp_path / "a.wav")
    assert rate == 8000 and np.abs(found - np.array(lua.eval("x")) / 65536).max() <= 0.5
    # An eighth of the rate is the second of the eight frequencies, the highest of which is first.
    p = np.array(lua.eval("p"))
    assert p.shape == (9, 9) and (p.argmax(0) == 6).all()
    assert np.array(lua.eval("audio.stft(y, 16, 'hann', 8)")).shape == (9, 9, 2)


def test_periods_of_a_tone(tmp_path: Path) -> None:
    lua = Runtime()
    lua.execute("""
    audio = require 'audio'
    x = torch.range(0, 7999):mul(2 * math.pi * 440 / 8000):sin()
    q = audio.cqt(x, 110, 1760, 12, 8000)
    voice = audio.samplevoice()
    bytes = audio.compress(voice, 16000, 'wav')
    again, rate = audio.decompress(bytes, 'wav')
    """)
    q = np.array(lua.eval("q"))
    # Two octaves above the lowest frequency.
    middle = (q[len(q) // 2] ** 2).sum(1)
    assert q.shape[1:] == (48, 2) and middle.argmax() == 24
    assert np.sqrt(middle[24]) == pytest.approx(0.25, rel=0.01)
    assert lua.eval("voice:dim()") == 2 and lua.eval("bytes:type()") == "torch.CharTensor"
    assert lua.eval("rate") == 16000 and lua.eval("(voice - again):abs():max() <= 65536") is True


def test_wrong_input(tmp_path: Path) -> None:
    (tmp_path / "a.mp3").write_bytes(b"nothing")
    lua = Runtime()
    lua.globals()["folder"] = str(tmp_path)
    lua.execute("audio = require 'audio'")
    for call, message in {
        "audio.load('/no/file.wav')": "audio.load: /no/file.wav: No such file or directory",
        "audio.load(folder .. '/a.mp3')": "a.mp3: ",
        "audio.save('b.wav', torch.rand(2, 2, 2), 8000)": "samples must be a tensor of 1 or 2",
    }.items():
        assert_error(lua, call, message)
