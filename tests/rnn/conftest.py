"""One engine for the tests of rnn, with the checks that hold for all layers."""

from __future__ import annotations

import pytest

from t7shell import Runtime

from ..nn.module_records import SET_UP


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    lua = Runtime()
    lua.execute(SET_UP)
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
