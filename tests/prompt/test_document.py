"""The examples of the prompt's own chapter that need the prompt itself: its help, marks and commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from t7shell.prompt import transcript
from tests.prompt_fixtures import typed

CHAPTER = Path(__file__).resolve().parents[2] / "docs" / "prompt.md"
BLOCKS = re.findall(r"^```console\n(.*?)^```$", CHAPTER.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("block", BLOCKS)
def test_example(block: str) -> None:
    inputs = transcript.inputs(block, lambda _: True)
    shown = "".join(line + "\n" for line in block.splitlines() if not line.startswith(("t7> ", "..> ")))
    done = typed("\n".join(inputs) + "\n")
    assert (done.stdout + done.stderr).strip() == shown.strip()


def test_chapter_has_examples() -> None:
    assert len(BLOCKS) >= 2
