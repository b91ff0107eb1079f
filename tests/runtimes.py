"""A Lua state for the tests of a module, and reading its values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from t7shell import LuaError, Runtime


def runtime_fixture(*sources: str) -> Any:
    """A fixture, one for each module of tests: a Runtime in which the sources have run."""

    @pytest.fixture(scope="module")
    def runtime() -> Runtime:
        made = Runtime()
        for source in sources:
            made.execute(source)
        return made

    return runtime


def array(lua: Runtime, expression: str) -> Any:
    """A copy of the value of an expression, a tensor or a number, as an array."""
    return np.array(lua.eval(expression))


def assert_error(lua: Runtime, source: str, message: str) -> None:
    """Asserts that a program raises an error that contains a message."""
    with pytest.raises(LuaError) as caught:
        lua.execute(source)
    assert message in str(caught.value)
