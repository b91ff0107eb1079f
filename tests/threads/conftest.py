"""A runtime for the tests of threads: pools are made and ended in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from t7shell import Runtime

Run = Callable[[str], str]


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime() as lua:
        lua.execute("threads = require 'threads'")
        yield lua


@pytest.fixture
def run(runtime: Runtime) -> Run:
    """Runs a program with a pool of two threads, `pool`; returns its output."""

    def call(source: str, scheme: str = "threads.sharedserialize") -> str:
        with runtime.captured() as out:
            runtime.execute(
                f"threads.Threads.serialization '{scheme}' local pool = threads.Threads(2)"
                f"\n{source}\n if pool:isrunning() then pool:terminate() end"
            )
        return out.getvalue()

    return call
