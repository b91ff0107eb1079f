"""One engine for all records of modules and criterions."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell import Runtime

from .module_records import HELPERS


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    lua = Runtime()
    lua.execute(HELPERS % str(Path(__file__).with_name("layers.lua")))
    return lua
