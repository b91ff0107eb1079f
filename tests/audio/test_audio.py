"""audio against SciPy's WAV files."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.io import wavfile

from t7shell import Runtime
from tests.runtimes import assert_error, runtime_fixture

lua = runtime_fixture("audio = require 'audio'")


@pytest.mark.parametrize(
    ("dtype", "scale", "shift"),
    [(np.int16, 2**16, 0), (np.int32, 1, 0), (np.uint8, 2**24, 128), (np.float32, 2**31, 0)],
)
def test_files_are_read(lua: Runtime, tmp_path: Path, dtype: type, scale: int, shift: int) -> None:
    samples = (np.random.default_rng(1).random((50, 2)) * 100).astype(dtype)
    if dtype is np.float32:
        samples /= 100
    wavfile.write(tmp_path / "a.wav", 8000, samples)
    lua.globals()["path"] = str(tmp_path / "a.wav")
    lua.execute("x, rate = audio.load(path)")
    assert lua.eval("rate") == 8000
    assert (np.array(lua.eval("x")) == (samples.astype(float) - shift) * scale).all()


def test_files_are_written_and_spectra(lua: Runtime, tmp_path: Path) -> None:
    lua.globals()["path"] = str(tmp_path / "a.wav")
    lua.execute("""
    x = torch.range(0, 79):mul(2 * math.pi / 8):sin():mul(2 ^ 30)
    audio.save(path, x, 8000) y = audio.load(path) p = audio.spectrogram(y, 16, 'rect', 8)
    """)
    rate, found = wavfile.read(tmp_path / "a.wav")
    assert rate == 8000 and np.abs(found - np.array(lua.eval("x")) / 65536).max() <= 0.5
    # An eighth of the rate is the second of the eight frequencies, the highest of which is first.
    p = np.array(lua.eval("p"))
    assert p.shape == (9, 9) and (p.argmax(0) == 6).all()
    assert np.array(lua.eval("audio.stft(y, 16, 'hann', 8)")).shape == (9, 9, 2)


def test_periods_of_a_tone(lua: Runtime) -> None:
    lua.execute("""
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


def test_wrong_input(lua: Runtime, tmp_path: Path) -> None:
    (tmp_path / "a.mp3").write_bytes(b"nothing")
    lua.globals()["folder"] = str(tmp_path)
    for call, message in {
        "audio.load('/no/file.wav')": "audio.load: /no/file.wav: No such file or directory",
        "audio.load(folder .. '/a.mp3')": "a.mp3: ",
        "audio.save('b.wav', torch.rand(2, 2, 2), 8000)": "samples must be a tensor of 1 or 2",
    }.items():
        assert_error(lua, call, message)


FORMATS = {"AIFF": True, "AU": True, "CAF": True, "FLAC": True, "MP3": True, "OGG": True, "RF64": True}
FORMATS |= {"VOC": True, "W64": True, "WAV": True, "WAVEX": True}
FORMATS |= dict.fromkeys(
    ["AVR", "IRCAM", "MAT4", "MAT5", "MPC2K", "NIST", "PAF", "PVF", "SDS", "WVE", "XI"], False
)


@cache
def _encoded(form: str) -> bytes:
    soundfile = pytest.importorskip("soundfile")
    samples, file = np.sin(np.arange(4000) / 5) / 2, io.BytesIO()
    soundfile.write(file, samples, 8000, format=form)
    return file.getvalue()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["a.flac", "a.raw", "a.sd2", "a", "a.txt"])
def test_formats_are_named_whatever_a_file_is_called(
    lua: Runtime, tmp_path: Path, form: str, name: str
) -> None:
    (tmp_path / name).write_bytes(_encoded(form))
    lua.globals()["path"] = str(tmp_path / name)
    lua.execute("fine, x, rate = pcall(audio.load, path)")
    if FORMATS[form]:
        x = np.array(lua.eval("x")).ravel() / 2**31
        assert lua.eval("rate") == 8000 and 4000 <= len(x) <= 8000
        # OGG and MP3 are lossy, and MP3 begins with silence.
        assert form == "MP3" or np.abs(x[:4000] - np.sin(np.arange(4000) / 5) / 2).max() < 0.05
    else:
        assert f"{name}: files of the format {form} are not read" in lua.eval("x")


@pytest.mark.slow
def test_damaged_files(lua: Runtime, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Errors of ours, no notes of the C library, and no crash of the process."""
    rng = np.random.default_rng(3)
    forms = [form for form, is_read in FORMATS.items() if is_read]
    for count in range(60):
        data = bytearray(_encoded(forms[count % len(forms)]))
        if count % 3:
            data = data[: rng.integers(len(data))]
        for at in rng.integers(0, max(1, min(60, len(data))), 4 if len(data) else 0):
            data[at] = rng.integers(256)
        (tmp_path / "a").write_bytes(data)
        lua.globals()["path"] = str(tmp_path / "a")
        lua.execute("fine, why = pcall(audio.load, path)")
        if not lua.eval("fine"):
            why = lua.eval("why")
            assert ": audio.load: " in why and "variable" not in why and "Python" not in why, why
    assert capfd.readouterr() == ("", "")


_HEAD = b"WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0"


# The size at the head is that of a whole file, or of what is there.
@pytest.mark.parametrize("size", [b"\x24\0\0\0", b"\x1c\0\0\0"])
@pytest.mark.parametrize("body", [_HEAD, _HEAD[:4], _HEAD[:12], _HEAD + b"da", _HEAD + b"data\0\0\0\0"])
def test_a_file_of_sound_without_samples(tmp_path: Path, body: bytes, size: bytes) -> None:
    (tmp_path / "a.wav").write_bytes(b"RIFF" + size + body)
    lua = Runtime()
    lua.globals()["path"] = str(tmp_path / "a.wav")
    lua.execute("audio = require 'audio'")
    assert_error(lua, "audio.load(path)", "a.wav: the file is damaged: no rate or no samples")
