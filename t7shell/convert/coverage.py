"""Generates the lists of modules that can and cannot be converted, for the manual.

`python3 -m t7shell.convert.coverage` writes it into `docs/onnx.md`, between two marks.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

BEGIN, END = "<!-- modules: begin -->\n", "<!-- modules: end -->\n"
MANUAL = Path(__file__).parents[2] / "docs" / "onnx.md"


def table() -> str:
    """Returns the lists as Markdown."""
    from t7shell.convert.layers import CHAPTERS
    from t7shell.convert.registry import TABLE, UNSUPPORTED

    lines = []
    for chapter in CHAPTERS:
        names = sorted(name for name, entry in TABLE.items() if entry.__module__ == chapter.__name__)
        title = chapter.__name__.rpartition(".")[2].capitalize()
        lines += _paragraph(f"- {title}: {_listed(names)}")
    lines += ["", "These cannot be converted:", ""]
    for reason in dict.fromkeys(UNSUPPORTED.values()):
        names = sorted(name for name, why in UNSUPPORTED.items() if why == reason)
        lines += _paragraph(f"- {_listed(names)}: {reason}")
    return "\n".join(lines) + "\n"


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name.removeprefix('nn.')}`" for name in names)


def _paragraph(text: str) -> list[str]:
    return textwrap.wrap(text, 110, subsequent_indent="  ", break_on_hyphens=False)


def updated(text: str) -> str:
    """Returns the text of the manual with the current lists."""
    head, rest = text.split(BEGIN)
    return head + BEGIN + table() + END + rest.split(END)[1]


if __name__ == "__main__":
    MANUAL.write_text(updated(MANUAL.read_text(encoding="utf-8")), encoding="utf-8")
