"""Elements by masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from t7shell import Runtime
from tests.runtimes import runtime_fixture

LENGTHS = [*range(1, 19), 31, 32, 33, 63, 64, 65, 129, 1023, 1025, 9000]


lua = runtime_fixture()


def call(lua: Runtime, source: str, x: np.ndarray[Any, Any]) -> Any:
    lua.globals()["x"] = x
    return lua.execute(source)


def test_masks_of_few_and_of_many_elements(lua: Runtime) -> None:
    for n in LENGTHS:
        x = np.random.default_rng(n).standard_normal(n)
        lua.globals()["m"] = (x > 0.3).astype("uint8")
        np.testing.assert_array_equal(np.asarray(call(lua, "return x:maskedSelect(m)", x)), x[x > 0.3])
        wrong = (x > 0.3).astype("uint8")
        wrong[-1] = 2
        lua.globals()["m"] = wrong
        assert call(lua, "return pcall(function() return x:maskedSelect(m) end)", x)[0] is False
