"""One engine for the tests of rnn, with the checks that hold for all layers."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell import Runtime

from ..nn.module_records import HELPERS

LAYERS = Path(__file__).parents[1] / "nn" / "layers.lua"


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    lua = Runtime()
    lua.execute(HELPERS % str(LAYERS))
    lua.execute("""
        require 'rnn'
        function graph_lstm(...)
           nn.FastLSTM.usenngraph = true
           local m = nn.FastLSTM(...)
           nn.FastLSTM.usenngraph = false
           return m
        end
        padded = t(4, 3)
        padded[2]:zero()
    """)
    return lua
