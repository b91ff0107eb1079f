"""The chapter 'From Torch7 to today' is followed from its first line to its last, with one file."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
def test_the_chapter_can_be_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    import fine_tune  # type: ignore[import-not-found, unused-ignore]

    fine_tune.make("model.t7")
    text = (ROOT / "docs" / "today.md").read_text()
    # Other formats, which need other libraries, have separate tests.
    sections = [part for part in text.split("\n## ") if not re.match(".*(ONNX|PyTorch|Caffe)", part)]
    variables: dict[str, object] = {}
    commands = 0
    for kind, block in re.findall(r"^```(console|python)\n(.*?)^```$", "\n## ".join(sections), re.S | re.M):
        if kind == "python":
            _python(block, variables)
            continue
        for command, expected in re.findall(r"^\$ t7 (.*)\n((?:[^$].*\n)*)", block, re.M):
            words = [sys.executable, "-m", "t7shell", *command.split()]
            done = subprocess.run(words, capture_output=True, text=True, timeout=60)
            assert (done.returncode, done.stdout) == (0, expected), done.stderr
            commands += 1
    assert commands >= 7
    assert Path("trained.t7").exists() and Path("retrained.t7").exists()


def _python(block: str, variables: dict[str, object]) -> None:
    """Runs a block; the value of an expression, or the output, is compared with the comment after it."""
    import contextlib
    import io

    compared = re.findall(r"^(?=\S)([^#\n]*?) {2,}# (.*)$", block, re.M)
    rest = block
    for source, wanted in compared:
        if re.match(r"\w+ = ", source):
            continue
        before, _, rest = rest.partition(f"{source} ")
        rest = rest.partition("\n")[2]
        exec(before, variables)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            value = eval(source, variables)
        shown = out.getvalue().strip() or (str(list(value)) if isinstance(value, tuple) else str(value))
        assert shown == wanted, source
    exec(rest, variables)
