"""qtwidget: pixels of what is drawn, and where windows appear."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from t7shell import Runtime
from tests.runtimes import assert_error

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def lua() -> Runtime:
    runtime = Runtime()
    runtime.execute("require 'qt' require 'image' require 'qtwidget' w = qtwidget.newimage(40, 30)")
    return runtime


def pixels(lua: Runtime) -> Any:
    """Height x width x 3."""
    return np.array(lua.eval("w:toTensor()")).transpose(1, 2, 0)


def test_filled_shapes(lua: Runtime) -> None:
    lua.execute("w:setcolor('red') w:rectangle(10, 5, 20, 10) w:fill()")
    lua.execute("w:setcolor(0, 0, 1) w:rectangle(0, 20, 5, 5) w:fill()")
    found = pixels(lua)
    assert (found[5:15, 10:30] == [255, 0, 0]).all() and (found[20:25, :5] == [0, 0, 255]).all()
    assert (found[:5] == 255).all() and (found[16:20] == 255).all()
    lua.execute("w:showpage() w:setcolor(0, 0, 0, 0.5) w:rectangle(0, 0, 40, 30) w:fill()")
    assert np.abs(pixels(lua).astype(int) - 127).max() <= 1


def test_lines_and_curves(lua: Runtime) -> None:
    lua.execute("w:setlinewidth(2) w:moveto(0, 10) w:lineto(40, 10) w:stroke()")
    assert (pixels(lua)[9:11] == 0).all() and (pixels(lua)[12:] == 255).all()
    lua.execute("w:showpage() w:arc(20, 15, 10, 0, 360) w:closepath() w:fill()")
    area = (255 - pixels(lua)[:, :, 0].astype(float)).sum() / 255
    assert abs(area - np.pi * 100) < 5
    lua.execute("w:showpage() w:moveto(0, 0) w:curveto(0, 15, 0, 15, 0, 30)")
    lua.execute("w:rlineto(5, 0) w:lineto(5, 0) w:fill()")
    assert (pixels(lua)[:, :5] == 0).all() and (pixels(lua)[:, 6:] == 255).all()


def test_pens_and_brushes(lua: Runtime) -> None:
    lua.execute("""
    w:setcolor 'red'
    w:setpen(qt.QPen{color = 'blue', width = 2}) w:setbrush(qt.QBrush{color = qt.QColor(0, 1, 0)})
    w:rectangle(0, 0, 10, 10) w:fill() w:moveto(20, 0) w:lineto(20, 30) w:stroke()
    w:setbrush(1, 0, 0, 1) w:rectangle(30, 0, 5, 5) w:fill()
    w:setpen 'black' w:moveto(0, 20) w:lineto(10, 20) w:stroke()
    """)
    found = pixels(lua)
    assert (found[:10, :10] == [0, 255, 0]).all() and (found[:, 19:21] == [0, 0, 255]).all()
    assert (found[:5, 30:35] == [255, 0, 0]).all() and (found[19:21, :10] == 0).all()
    # A colour is that of all.
    lua.execute("w:setcolor 'blue' w:rectangle(0, 0, 10, 10) w:fill()")
    assert (pixels(lua)[:10, :10] == [0, 0, 255]).all()


def test_clips(lua: Runtime) -> None:
    # The path stays, as in PostScript: newpath forgets it.
    lua.execute("w:rectangle(10, 10, 20, 10) w:clip() w:newpath()")
    lua.execute("w:gsave() w:rectangle(0, 0, 20, 30) w:clip() w:newpath()")
    lua.execute("w:setcolor 'red' w:rectangle(0, 0, 40, 30) w:fill()")
    inner = np.zeros((30, 40), bool)
    inner[10:20, 10:20] = True
    assert ((pixels(lua) == [255, 0, 0]).all(2) == inner).all()
    lua.execute("w:grestore() w:image(0, 0, torch.zeros(3, 30, 40))")
    outer = np.zeros((30, 40), bool)
    outer[10:20, 10:30] = True
    assert ((pixels(lua) == 0).all(2) == outer).all()
    lua.execute("w:initclip() w:setcolor 'green' w:rectangle(0, 0, 40, 30) w:eoclip() w:fill()")
    assert (pixels(lua) == [0, 128, 0]).all()
    # Nothing can be drawn inside an empty path.
    lua.execute("w:newpath() w:clip() w:setcolor 'red' w:rectangle(0, 0, 40, 30) w:fill()")
    assert (pixels(lua) == [0, 128, 0]).all()
    lua.execute("w:resize(4, 3) w:rectangle(0, 0, 4, 3) w:fill()")
    assert (pixels(lua) == [255, 0, 0]).all()


def test_states_and_matrices(lua: Runtime) -> None:
    lua.execute("""
    w:gsave() w:translate(10, 10) w:scale(2, 2) w:setcolor 'green' w:rectangle(0, 0, 5, 5) w:fill()
    w:grestore()
    w:rectangle(0, 0, 5, 5) w:fill()
    w:translate(30, 20) w:rotate(90) w:rectangle(0, 0, 8, 4) w:fill() w:initmatrix()
    """)
    found = pixels(lua)
    assert (found[10:20, 10:20] == [0, 128, 0]).all() and (found[:5, :5] == 0).all()
    # Clockwise: to the right becomes down.
    assert (found[20:28, 26:30] == 0).all()


def test_text(lua: Runtime) -> None:
    lua.execute("w:setfont(qt.QFont{serif = true, italic = true, bold = true, size = 16})")
    lua.execute("w:moveto(2, 20) w:show('ab')")
    found = pixels(lua)
    assert (found[8:21, 2:30] < 128).any() and (found[25:] == 255).all()
    assert lua.eval("(w:currentpoint())") > 10
    lua.execute("w:showpage() w:setfontsize(10) w:show('x', 0, 0, 40, 30)")
    dark = np.argwhere(pixels(lua)[:, :, 0] < 128)
    assert np.abs(dark.mean(0) - [15, 20]).max() < 3
    # What is drawn is as wide as it is said to be.
    lua.execute("w:showpage() w:setfontsize(14) width, height = w:stringwidth('mm')")
    lua.execute("w:moveto(3, 20) w:show('mm')")
    dark = np.argwhere(pixels(lua)[:, :, 0] < 200)
    assert abs(np.ptp(dark[:, 1]) + 1 - lua.eval("width")) < 4 and lua.eval("height") >= np.ptp(dark[:, 0])


def test_images(lua: Runtime, tmp_path: Path) -> None:
    lua.globals()["path"] = str(tmp_path / "w.png")
    lua.execute("""
    x = torch.zeros(3, 10, 12) x[1]:fill(1) x[{2, {1, 5}}]:fill(1)
    w:image(3, 4, x) w:image(20, 10, 6, 5, torch.ByteTensor(4, 4):fill(9))
    """)
    found = pixels(lua)
    assert (found[4:9, 3:15] == [255, 255, 0]).all() and (found[9:14, 3:15] == [255, 0, 0]).all()
    assert (found[10:15, 20:26] == 9).all() and (found[:4] == 255).all()
    lua.execute("require 'qttorch' q = qt.QImage.fromTensor(torch.zeros(3, 2, 2)) w:image(30, 20, q)")
    assert (pixels(lua)[20:22, 30:32] == 0).all() and np.array(lua.eval("q:toTensor()")).shape == (3, 2, 2)
    # What is drawn after an image lies above it.
    lua.execute("w:showpage() image.display{image = x, win = w, x = 2, y = 1}")
    lua.execute("w:rectangle(2, 1, 4, 4) w:fill() w:write(path)")
    with Image.open(tmp_path / "w.png") as written:
        saved = np.asarray(written)
    assert (saved == pixels(lua)).all() and (saved[1:5, 2:6] == 0).all()
    assert (saved[10, 2:14] == [255, 0, 0]).all()
    lua.execute("v = qtwidget.newimage(path)")
    assert (np.array(lua.eval("v:toTensor()")).transpose(1, 2, 0) == saved).all()


@pytest.mark.slow
def test_windows_appear_as_files(t7: Run, tmp_path: Path) -> None:
    script = tmp_path / "a.lua"
    script.write_text("""
    require 'qtwidget'
    win = qtwidget.newwindow(50, 20, 'A window')
    win.painter:gbegin() win:setcolor('blue') win:rectangle(0, 0, 50, 20) win:fill() win:gend()
    gfx = require 'gfx.js'
    gfx.image(torch.zeros(3, 8, 9), {legend = 'black'})
    gfx.chart(torch.rand(5)) gfx.chart({{key = 'a', values = {1, 2}}})
    gfx.chart({{key = 'b', values = {{x = 1, y = 2}, {x = 2, y = 4}}}}, {chart = 'bar'})
    """)
    run = t7("--show", "file", str(script), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    paths = [Path(line) for line in run.stderr.splitlines()]
    (window,) = [path for path in paths if path.name.startswith("window-")]
    with Image.open(window) as picture:
        assert picture.size == (50, 20) and picture.getpixel((3, 3)) == (0, 0, 255)
    assert len(paths) >= 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("w:lineto('x', 2)", "qtwidget.lineto: argument 1 must be a number (got 'x')"),
        ("w:moveto(0/0, 2)", "qtwidget.moveto: finite coordinates expected"),
        ("w:rlineto(1, 2)", "qtwidget.rlineto: no current point: moveto comes first"),
        ("w:show('a')", "qtwidget.show: no current point"),
        ("w:stringwidth(3)", "qtwidget.stringwidth: text must be a string (got 3)"),
        ("require('gfx.js').chart(3)", "gfx.chart: data must be a table (got 3)"),
        ("w:setcolor('nocolour')", "qtwidget.setcolor:"),
        ("w:image(0, 0, torch.rand(5, 2, 2))", "qtwidget.image: picture must be a tensor of 1 to 4 planes"),
        ("w:image(0, 0, 1e9, 1e9, torch.rand(2, 2))", "width must be a whole number from 1 to 32767"),
        ("qtwidget.newwindow(0, 2)", "newwindow: width must be a whole number of at least 1 (got 0)"),
        ("qtwidget.newwindow(1e6, 2)", "newwindow: width and height must be from 1 to 32767"),
        ("w:write('/no/folder/a.png')", "qtwidget.write: /no/folder/a.png: No such file"),
    ],
)
def test_wrong_input(lua: Runtime, call: str, message: str) -> None:
    assert_error(lua, call, message)
