"""Images of the tests: NumPy's arrays on one side, tensors on the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime

Array = np.ndarray[Any, Any]
Evaluate = Callable[..., Any]


# Tracebacks of tests refer to the state: it is closed with the process, not by the collector of cycles.
_states: list[Runtime] = []


@pytest.fixture(scope="session")
def images() -> Runtime:
    runtime = Runtime()
    runtime.execute("require 'image'")
    _states.append(runtime)
    return runtime


@pytest.fixture
def value(images: Runtime) -> Evaluate:
    """value('image.scale(x, 4, 4)', x=array): a Lua expression in which arrays are tensors."""

    def evaluate(expression: str, **variables: Any) -> Any:
        for name, array in variables.items():
            images.globals()[name] = array
        found = images.eval(expression)
        return np.array(found) if isinstance(found, np.ndarray) else found

    return evaluate


def picture(*sizes: int) -> Array:
    """Floats from 0 to 1 without symmetries, as doubles: the original passes elements through floats."""
    values = np.abs(np.sin(0.9 * np.arange(1, np.prod(sizes) + 1)))
    return np.asarray(values.astype("float32").astype(float)).reshape(sizes)
