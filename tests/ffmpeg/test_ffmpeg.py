"""Films that are written and read again, and what is said without a camera or without the library."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from t7shell import LuaError, Runtime

Run = Callable[..., "subprocess.CompletedProcess[str]"]

pytest.importorskip("imageio_ffmpeg")


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Ten frames of 24 x 32 whose red rises by 20 of 255 from one to the next."""
    path = str(tmp_path_factory.mktemp("films") / "a.mp4")
    lua = Runtime()
    lua.globals()["path"] = path
    lua.execute("""
    ffmpeg = require 'ffmpeg'
    x = torch.zeros(10, 3, 24, 32)
    for i = 1, 10 do x[i][1]:fill(20 * i / 255) x[i][2]:narrow(1, 1, 12):fill(0.5) end
    ffmpeg.save(path, x, 10)
    """)
    return path


def reds(frames: Any) -> Any:
    return frames[:, 0].mean((1, 2)) * 255


def test_frames(film: str) -> None:
    lua = Runtime()
    lua.globals()["path"] = film
    lua.execute("ffmpeg = require 'ffmpeg' v = ffmpeg.Video(path) all = v:totensor() last = v:forward()")
    frames = np.array(lua.eval("all"))
    assert frames.shape == (10, 3, 24, 32) and frames.dtype == np.float32
    assert np.abs(reds(frames) - 20 * np.arange(1, 11)).max() < 12
    assert abs(frames[:, 1, :10].mean() - 0.5) < 0.05 and frames[:, 1, 14:].mean() < 0.05
    assert lua.eval("last") is None
    assert (lua.eval("v.width"), lua.eval("v.height"), lua.eval("v.fps"), lua.eval("v:count()")) == (
        32,
        24,
        10,
        10,
    )
    lua.execute("b = ffmpeg.Video{path = path, width = 16, height = 12, type = 'byte'}")
    lua.execute("part = b:totensor{offset = 3, nb_frames = 2}")
    part = np.array(lua.eval("part"))
    assert part.shape == (2, 3, 12, 16) and part.dtype == np.uint8
    assert np.abs(reds(part / 255) - [60, 80]).max() < 12
    lua.execute("s = ffmpeg.Video{path = path, seek = 0.5, length = 0.3}")
    lua.execute("n = 0 while s:forward() do n = n + 1 end s:close()")
    assert lua.eval("n") == 3
    lua.execute("f = ffmpeg.Video{path = path, fps = 5, width = 16} h = f:totensor():size()")
    assert lua.eval("h[1]") == 5 and lua.eval("h[3]") == 12


def test_decoder(film: str) -> None:
    lua = Runtime()
    lua.globals()["path"] = film
    lua.execute("""
    d = require 'libvideo_decoder' ok, h, w, n, fps = d.init(path) x = torch.ByteTensor(3, h, w)
    count = 0 while d.frame_rgb(x) do count = count + 1 end d.exit()
    """)
    assert [lua.eval(name) for name in ("ok", "h", "w", "n", "fps", "count")] == [True, 24, 32, 10, 10, 10]
    assert abs(np.array(lua.eval("x"))[0].mean() - 200) < 12
    assert lua.eval("require 'video_decoder' == d")
    with pytest.raises(LuaError, match="init\\(path\\) must be called first"):
        lua.execute("d.frame_rgb(x)")


def test_without_a_camera() -> None:
    lua = Runtime()
    with pytest.raises(LuaError, match=r"image.Camera: there is no camera 93"):
        lua.execute("require 'camera' c = image.Camera{idx = 93}")


def test_without_the_library(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "imageio_ffmpeg.py").write_text("raise ImportError('none')")
    run = t7("-e", "require('ffmpeg').Video('a.mp4')", env={"PYTHONPATH": str(tmp_path)})
    assert "a.mp4: films need imageio-ffmpeg: python3 -m pip install imageio-ffmpeg" in run.stderr


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("ffmpeg.Video('/no/film.mp4')", "ffmpeg.Video: /no/film.mp4: No such file or directory"),
        ("ffmpeg.Video{width = 3}", "ffmpeg.Video: path must be a string (got nil)"),
        ("ffmpeg.Video{path = 'a', fps = -1}", "ffmpeg.Video: fps must be a number above 0 (got -1)"),
        ("ffmpeg.save('a.mp4', torch.rand(2, 4, 4))", "ffmpeg.save: frames must be a tensor of 4 dimensions"),
        ("ffmpeg.Video(os.getenv('PWD') .. '/pyproject.toml')", "pyproject.toml: "),
    ],
)
def test_wrong_input(call: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PWD", str(Path(__file__).parents[2]))
    with pytest.raises(LuaError) as caught:
        Runtime().execute("ffmpeg = require 'ffmpeg' " + call)
    assert message in str(caught.value)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "text",
    [
        "ffconcat version 1.0\nfile 'a.mp4'\n",
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.mp4\n#EXT-X-ENDLIST\n",
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n",
        "ConvertToRGB(AviSource('a.avi'))\n",
    ],
    ids=["concat", "hls", "address", "avisynth"],
)
@pytest.mark.parametrize("name", ["x.mp4", "x.avi", "x.m3u8", "x.ffconcat", "x.avs"])
def test_lists_of_other_files_are_no_films(film: str, name: str, text: str) -> None:
    """ffmpeg would read the files, or fetch the addresses, that such a file names."""
    path = Path(film).parent / name
    path.write_text(text)
    lua = Runtime()
    lua.globals()["path"] = str(path)
    lua.execute("ffmpeg, decoder = require 'ffmpeg', require 'libvideo_decoder'")
    for call in ("ffmpeg.Video(path):totensor()", "decoder.init(path)"):
        with pytest.raises(LuaError, match=r"x\.\w+: |no frame"):
            lua.execute(call)
    lua.globals()["film"] = film
    lua.execute("v = ffmpeg.Video(film) v.path = path")
    with pytest.raises(LuaError, match=r"x\.\w+: "):
        lua.execute("v:count()")
    path.unlink()


def test_names_are_no_addresses(film: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = "concat:a.mp4|b.mp4"
    (tmp_path / name).write_bytes(Path(film).read_bytes())
    lua = Runtime()
    lua.execute("ffmpeg = require 'ffmpeg'")
    assert lua.eval(f"ffmpeg.Video('{name}'):count()") == 10
