"""One engine for all records of modules and criterions."""

from __future__ import annotations

import pytest

from t7shell import Runtime

from .module_records import SET_UP


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    lua = Runtime()
    lua.execute(SET_UP)
    return lua
