"""Preparation of a document: the right kind of session, and its packages.

Packages are named on the command line, or in the front matter of Markdown:

    ---
    packages: nn, optim
    ---
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from t7shell.doctest.cell_session import CellSession
from t7shell.doctest.reader import MARKDOWN, NOTEBOOK, read_text
from t7shell.doctest.session import ChildSession, OpenSession, Session

_FRONT_MATTER = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(?P<lines>.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE
)
# A list in one line, with or without brackets, or below it with dashes.
_PACKAGES = re.compile(r"^packages:(?P<words>[^\n]*(?:\n[ \t]*-[^\n]*)*)", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_][\w.]*(?:-\w[\w.]*)*")


class PackageError(ValueError):
    """A package of a document cannot be loaded; the message says why."""


def front_matter_packages(text: str) -> list[str]:
    """The packages that the front matter of a page names."""
    front = _FRONT_MATTER.match(text)
    found = _PACKAGES.search(front["lines"]) if front else None
    return _NAME.findall(found["words"]) if found else []


def session_factory(
    path: str | os.PathLike[str], timeout: float = 60.0, packages: Sequence[str] = ()
) -> OpenSession:
    """A function that opens sessions for a document, with its packages loaded: the given ones, and those of
    its front matter. The function raises PackageError. Raises OSError if the file cannot be read."""
    suffix = Path(path).suffix
    wanted = list(packages)
    if suffix in MARKDOWN:
        wanted += [name for name in front_matter_packages(read_text(path)) if name not in wanted]

    def open_session(dialect: str) -> Session:
        session: Session
        if suffix == NOTEBOOK:
            session = CellSession(dialect, timeout, str(Path(path).parent))
        else:
            session = ChildSession(dialect, timeout)
        for name in wanted:
            answer = session.run(f"require '{name}';", "=(packages)")
            if answer.message:
                session.close()
                raise PackageError(f"cannot load the package {name}: {answer.message}")
        return session

    return open_session
