"""Calls of functions by their names; each package has a module with a table `FUNCTIONS`."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np

from t7shell.host.failures import message
from t7shell.packages.exchange.values import Reader, Writer

_PACKAGES = {"cephes", "randomkit", "signal"}


def call(name: str, writer: Writer) -> Reader | tuple[None, str]:
    """The results of a function as a list: arrays, and scalars as numbers."""
    package, _, function = name.partition(".")
    assert package in _PACKAGES
    table = import_module(f"t7shell.packages.arrays.{package}").FUNCTIONS
    arguments = [writer.value[i] for i in range(1, len(writer.value) + 1)]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = table[function](*arguments)
    except (ValueError, TypeError, MemoryError, OverflowError, ArithmeticError) as reason:
        return None, message(reason)
    return Reader([_value(result) for result in (results if isinstance(results, tuple) else (results,))])


def _value(result: Any) -> Any:
    values = np.asarray(result)
    if np.iscomplexobj(values):
        values = np.stack([values.real, values.imag], -1)
    return values.item() if values.ndim == 0 else values
