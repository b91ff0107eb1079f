"""What notebooks of iTorch show."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from t7shell import LuaError, Runtime
from t7shell.packages.display import show
from t7shell.packages.itorch import plot
from tests.prompt_fixtures import typed
from tests.runtimes import assert_error

# Tracebacks of tests refer to the state: it is closed with the process, not by the collector of cycles.
_states: list[Runtime] = []


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    made = Runtime()
    _states.append(made)
    made.execute("require 'itorch'")
    return made


@pytest.fixture
def shown() -> Iterator[list[dict[str, str]]]:
    """What a notebook gets."""
    found: list[dict[str, str]] = []
    show.inline = found.append
    yield found
    show.inline = None


def test_images(runtime: Runtime, shown: list[dict[str, str]], tmp_path: Path) -> None:
    runtime.execute("itorch.image(torch.rand(4, 5)) itorch.image({torch.rand(3, 4, 5), torch.rand(3, 4, 5)})")
    assert (
        all(base64.b64decode(data["image/png"]).startswith(b"\x89PNG") for data in shown) and len(shown) == 2
    )
    path = tmp_path / "x.png"
    path.write_bytes(b"a picture")
    runtime.execute(f"itorch.image('{path}')")
    assert base64.b64encode(b"a picture").decode() in shown[2]["text/html"]
    with pytest.raises(LuaError, match="image: cannot read /no/such: No such file"):
        runtime.execute("itorch.image('/no/such')")
    with pytest.raises(LuaError, match="argument 1 must be a tensor, a table of tensors or a path"):
        runtime.execute("itorch.image(3)")


@pytest.mark.slow
def test_the_prompt_does_not_print_what_was_shown() -> None:
    done = typed(
        "require 'itorch';\np = itorch.Plot():line({1, 2}, {3, 4})\np\np:draw()\np:draw():title('a')\n"
        "itorch.image(torch.rand(3, 4, 4))\np\n",
        "--show=none",
    )
    assert (done.stdout, done.stderr) == ("itorch.Plot\nitorch.Plot\n", "")


def test_html_and_media(runtime: Runtime, shown: list[dict[str, str]], tmp_path: Path) -> None:
    sound = tmp_path / "a.wav"
    sound.write_bytes(b"RIFF")
    runtime.execute(f"itorch.html('<b>ä</b>') itorch.svg('<svg></svg>') itorch.audio('{sound}')")
    runtime.execute(f"itorch.video('{sound}')")
    texts = [data["text/html"] for data in shown]
    assert texts[:2] == ["<b>ä</b>", "<svg></svg>"]
    assert texts[2].startswith("<audio controls") and "UklGRg==" in texts[2]
    assert texts[3].startswith("<video controls")


def test_plots(runtime: Runtime) -> None:
    runtime.execute(
        """
        p = itorch.Plot():line({1, 2, 3}, torch.Tensor{4, 5, 6}, 'red', 'a line')
        p:circle({1}, {2}, 'green', 'dots')
        p:segment({0, 1}, {0, 1}, {2, 3}, {4, 5}, 'black'):quad({0}, {0}, {1}, {2}, 'blue', 'box')
        p:triangle({3}, {3}, 'orange'):title('Title'):xaxis('x'):yaxis('y'):legend(true)
        """
    )
    axes = plot.figure(plot._plots[-1]).axes[0]
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("Title", "x", "y")
    assert axes.lines[0].get_xydata().tolist() == [[1, 4], [2, 5], [3, 6]]
    assert axes.lines[0].get_color() == "red" and axes.lines[1].get_marker() == "o"
    assert axes.lines[3].get_xydata().tolist() == [[1, 1], [3, 5]]
    assert axes.patches[0].get_bbox().bounds == (0, 0, 1, 2)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a line", "dots", "box"]


def test_histograms(runtime: Runtime) -> None:
    runtime.execute("itorch.Plot():histogram(torch.Tensor{0, 0.2, 0.9, 1}, 2):draw()")
    boxes = plot.figure(plot._plots[-1]).axes[0].patches
    assert [(box.get_x(), box.get_width(), box.get_height()) for box in boxes] == [(0, 0.5, 2), (0.5, 0.5, 2)]


def test_saving_and_drawing(runtime: Runtime, shown: list[dict[str, str]], tmp_path: Path) -> None:
    page, picture = tmp_path / "a.html", tmp_path / "a.svg"
    runtime.execute(
        f"p = require 'itorch.Plot'():line({{1, 2}}, {{3, 4}}):draw():save('{page}'):save('{picture}')"
    )
    assert "image/png" in shown[0] and "<img src=" in page.read_text() and "<svg" in picture.read_text()
    assert str(runtime.eval("p:html()")).startswith("<img")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("line({1, 2}, {3})", "line: columns must have the same number of elements (got 2 and 1)"),
        ("line({1, 2})", "line: argument 2 must be a tensor (got nil)"),
        ("line({1}, {1}, 'reddish')", "line: color must be the name or the code of one (got 'reddish')"),
        ("title(3)", "title: argument 1 must be a string (got 3)"),
        ("save('/no/such/x.html')", "save: cannot write /no/such/x.html"),
    ],
)
def test_errors(runtime: Runtime, call: str, message: str) -> None:
    assert_error(runtime, f"itorch.Plot():{call}", message)
    # Nothing of a failed call is left for the next one.
    runtime.execute("itorch.Plot():line({1, 2}, {3, 4})")
    assert [len(c) for c in plot._plots[-1].parts[0].columns] == [2, 2]
    assert np.isfinite(plot._plots[-1].parts[0].columns[0]).all()
