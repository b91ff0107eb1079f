"""Where pictures appear."""

from __future__ import annotations

import base64
import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from t7shell.packages.display import show, terminal
from tests.terminal import Terminal
from tests.x_server import missing, pixels, wait_for, x_server

Run = Callable[..., "subprocess.CompletedProcess[str]"]

IMAGE = "require 'image'; image.display(torch.rand(3, 20, 30))"
PLOT = "require 'gnuplot'; for i = 1, 50 do gnuplot.plot(torch.rand(9), '-') end"


def png(width: int = 12, height: int = 8) -> bytes:
    out = io.BytesIO()
    Image.fromarray(np.arange(width * height * 3, dtype=np.uint8).reshape(height, width, 3)).save(out, "PNG")
    return out.getvalue()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("source", "size"), [(IMAGE, (30, 20)), (PLOT, (640, 480))])
def test_files_whose_names_are_printed(t7: Run, source: str, size: tuple[int, int], tmp_path: Path) -> None:
    run = t7("--show=file", "-e", source, env={"TMPDIR": str(tmp_path)})
    assert run.stdout == ""
    # One line, however often something was plotted.
    (path,) = run.stderr.splitlines()
    with Image.open(path) as picture:
        assert picture.size == size


def test_none(t7: Run, tmp_path: Path) -> None:
    run = t7("--show", "none", "-e", IMAGE + PLOT, env={"TMPDIR": str(tmp_path)})
    assert run.stdout + run.stderr == "" and not list(tmp_path.iterdir())


def test_settings_and_wrong_ones(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('show = "none"\n')
    environment = {"TMPDIR": str(tmp_path), "T7_CONFIG": str(tmp_path)}
    assert t7("-e", IMAGE, env=environment).stderr == ""
    assert t7("--show=file", "-e", IMAGE, env=environment).stderr.endswith(".png\n")
    wrong = t7("--show=wall", "-e", "")
    assert (
        wrong.returncode == 2
        and "--show: expected auto, window, terminal, file, none (got 'wall')" in wrong.stderr
    )


def test_without_a_terminal_and_a_window_system(monkeypatch: pytest.MonkeyPatch) -> None:
    show.choose("auto")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert show.destination() == "file"


def test_a_terminal_of_all_colours_draws_blocks(tmp_path: Path) -> None:
    assert "▀" in on_terminal(tmp_path, COLORTERM="truecolor")


def test_another_terminal_is_told_once_how_to_draw(tmp_path: Path) -> None:
    shown = on_terminal(tmp_path, COLORTERM="")
    assert "▀" not in shown and shown.count(".png") == 2
    assert shown.count("(t7 --show=terminal draws pictures here)") == 1


def test_a_program_of_python_is_not_told_how_t7_would_draw(tmp_path: Path) -> None:
    program = "import sys, t7shell; t7shell.Runtime().execute(sys.argv[1])"
    shown = on_terminal(tmp_path, "-c", program, COLORTERM="")
    assert shown.count(".png") == 2 and "--show" not in shown


def on_terminal(folder: Path, *command: str, **env: str) -> str:
    """What two images show on a terminal that answers no question, without a window system; of a program of
    Python, which takes the source, or of `t7`.
    """
    source = f"{IMAGE} image.display(torch.rand(3, 8, 8)) print('en' .. 'd')"
    command = command or ("-m", "t7shell", "-e")
    environment = {"TERM": "xterm", "DISPLAY": "", "WAYLAND_DISPLAY": "", "TMPDIR": str(folder)}
    environment["T7_CONFIG"] = str(folder)
    made = Terminal([sys.executable, *command, source], {**environment, **env})
    shown = made.expect("end")
    made.close()
    return shown


def test_half_blocks(t7: Run) -> None:
    source = (
        "require 'image'; image.display(torch.ByteTensor{{0, 255}, {255, 0}}:view(1, 2, 2):expand(3, 2, 2))"
    )
    run = t7("--show=terminal", "-e", source)
    assert run.stdout == ("\x1b[38;2;0;0;0;48;2;255;255;255m▀\x1b[38;2;255;255;255;48;2;0;0;0m▀\x1b[0m\n")


@pytest.mark.parametrize(
    ("answers", "protocol"),
    [
        ("\x1b_Gi=31;OK\x1b\\\x1bP>|kitty(0.35)\x1b\\\x1b[?62;c", "kitty"),
        ("\x1bP>|iTerm2 3.5.0\x1b\\\x1b[?62;4c", "iterm"),
        ("\x1bP>|XTerm(390)\x1b\\\x1b[?64;1;4;9;22c", "sixel"),
        ("\x1b[?64;1;9c", None),
        ("\x1b_Gi=31;ENOTSUPPORTED\x1b\\\x1b[?64;14c", None),
        ("", None),
    ],
)
def test_protocols_are_those_that_the_terminal_answers(answers: str, protocol: str | None) -> None:
    assert terminal.read_answers(answers) == protocol


def test_a_terminal_is_asked(tmp_path: Path) -> None:
    """A terminal of our own answers as kitty does, and gets the picture in its protocol."""
    pty = pytest.importorskip("pty")
    child, descriptor = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-m", "t7shell", "-e", IMAGE])
    seen, end = b"", time.monotonic() + 60
    answered = False
    while time.monotonic() < end:
        try:
            seen += os.read(descriptor, 65536)
        except OSError:
            break
        if not answered and seen.endswith(b"\x1b[c"):
            os.write(descriptor, b"\x1b_Gi=31;OK\x1b\\\x1b[?62c")
            answered = True
    os.waitpid(child, 0)
    os.close(descriptor)
    assert answered
    parts = re.findall(rb"\x1b_G(a=T,f=100,)?m=[01];([^\x1b]*)\x1b\\", seen)
    with Image.open(io.BytesIO(base64.b64decode(b"".join(data for _, data in parts)))) as picture:
        assert picture.size == (30, 20)


def test_kitty_and_iterm_carry_the_file() -> None:
    content = np.random.default_rng(1).bytes(9000)
    chunks = re.findall(r"\x1b_G(?:a=T,f=100,)?m=[01];([^\x1b]*)\x1b\\", terminal.kitty(content))
    assert len(chunks) > 1 and all(len(chunk) <= 4096 for chunk in chunks)
    assert base64.b64decode("".join(chunks)) == content
    assert base64.b64decode(terminal.iterm(content).partition(":")[2].rstrip("\a")) == content


def test_sixels() -> None:
    """Decodes the sixels again."""
    x = np.zeros((8, 10, 3), np.uint8)
    x[2:7, 3:9] = (255, 0, 0)
    x[7, 0] = (0, 0, 255)
    text = terminal.sixel(Image.fromarray(x))
    head = re.match(r'\x1bP0;1q"1;1;(\d+);(\d+)', text)
    assert head and head.groups() == ("10", "8")
    colours = {
        int(n): tuple(map(int, rgb.split(";"))) for n, rgb in re.findall(r"#(\d+);2;(\d+;\d+;\d+)", text)
    }
    got = np.zeros((8, 10, 3), int)
    body = re.sub(r"#\d+;2;\d+;\d+;\d+", "", text[head.end() :]).removesuffix("\x1b\\")
    for band, line in enumerate(body.split("-")[:-1]):
        for number, runs in re.findall(r"#(\d+)([^$]*)\$", line):
            column = 0
            for count, letter in re.findall(r"(?:!(\d+))?([?-~])", runs):
                for _ in range(int(count or 1)):
                    for bit in range(6):
                        if ord(letter) - 63 >> bit & 1:
                            got[6 * band + bit, column] = colours[int(number)]
                    column += 1
    np.testing.assert_array_equal(got, x.astype(int) * 100 // 255)


@pytest.mark.skipif(bool(missing()), reason=f"needs {missing()}")
def test_a_window_does_not_stop_the_script(t7: Run) -> None:
    source = (
        "require 'image'; x = torch.ByteTensor(3, 90, 120):fill(77)"
        " image.display{image = x, min = 0, max = 255} print('goes on')"
    )
    with x_server() as display:
        run = t7("--show=window", "-e", source, env={"DISPLAY": display})
        assert run.stdout == "goes on\n" and run.stderr == ""
        assert wait_for(lambda: int((pixels(display) == 77).all(2).sum()) == 90 * 120)
