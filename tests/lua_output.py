"""Lua source whose printed text is looked at."""

from __future__ import annotations

from collections.abc import Callable

from t7shell.core.engine import Engine


def printer(engine: Engine) -> Callable[[str], str]:
    """What runs Lua source in an engine and returns what it printed; an error fails the test."""

    def run(source: str) -> str:
        with engine.capture() as out:
            result = engine.execute(source, "=test")
        assert result.ok, result.report()
        return out[0]

    return run
