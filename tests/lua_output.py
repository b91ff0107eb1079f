"""Lua source whose printed text is looked at."""

from __future__ import annotations

from collections.abc import Callable

from t7shell.engine.engine import Engine


def printer(engine: Engine) -> Callable[[str], str]:
    """Returns a function from Lua source to its output in an engine; an error fails the test."""

    def run(source: str) -> str:
        with engine.capture() as out:
            result = engine.execute(source, "=test")
        assert result.ok, result.report()
        return out[0]

    return run
