"""Lists of indices: `...` for dimensions that are left, and ranges with a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime, T7Warning
from t7shell.engine.engine import Engine
from tests.runtimes import runtime_fixture

Lua = Callable[[str], str]


runtime = runtime_fixture()


def test_dots_stand_for_what_is_left(runtime: Runtime) -> None:
    x = np.arange(720).reshape(2, 3, 4, 5, 6)
    pairs: list[tuple[str, Any]] = [
        ("{'...', 1}", np.s_[..., 0]),
        ("{2, '...', -1}", np.s_[1, ..., -1]),
        ("{'...', {2, 3}, 4}", np.s_[..., 1:3, 3]),
        ("{1, 2, '...'}", np.s_[0, 1, ...]),
        ("{'...'}", np.s_[...]),
        ("{1, '...', 2, 3, 4, 5}", np.s_[0, ..., 1, 2, 3, 4]),
        ("{1, 2, 3, 4, '...', {5}}", np.s_[0, 1, 2, 3, ..., 4:5]),
        ("{'...', {1, -1, 2}}", np.s_[..., ::2]),
    ]
    for source, key in pairs:
        got, stored = runtime.execute(
            f"return function(x) local y = x:clone() y[{source}] = -1 return x[{source}], y end"
        )(x)
        expected = x.copy()
        expected[key] = -1
        assert np.shape(got) == x[key].shape and (np.asarray(got) == x[key]).all()
        assert (stored == expected).all()
    assert runtime.execute("return function(x) return x[{'...', 3}] end")(x[0, 0, 0, 0]) == 2


def test_ranges_with_a_step_follow_numpy(runtime: Runtime) -> None:
    get = runtime.execute("return function(x, a, b, s) return x[{ {a, b, s} }], x[{ '...', {a, b, s} }] end")
    put = runtime.execute("return function(x, a, b, s) x = x:clone() x[{ {}, {a, b, s} }] = 7 return x end")
    x = np.arange(49).reshape(7, 7)
    for first in range(1, 8):
        for last in range(first, 8):
            for step in (1, 2, 3, 9):
                rows, columns = get(x, first, last - 8, step)
                assert (rows == x[first - 1 : last : step]).all()
                assert (columns == x[:, first - 1 : last : step]).all() and columns.shape[1] == rows.shape[0]
                expected = x.copy()
                expected[:, first - 1 : last : step] = 7
                assert (put(x, first - 8, last, step) == expected).all()


def test_steps_are_views(lua: Lua) -> None:
    program = """
        local x = torch.zeros(6)
        local y = x[{ {2, -1, 2} }]
        y:copy(torch.Tensor{1, 2, 3})
        print(table.concat(x:totable(), ' '), y:stride(1), y[{ {1, 3, 2} }]:stride(1))
        print(x[{ {nil, nil, 4} }]:size(1))
        x[{ {1, 5, 2} }] = torch.Tensor{7, 8, 9}
        print(x[1], x[3], x[5], x[{ {3, 3, 1e300} }]:size(1))
    """
    assert lua(program) == "0 1 0 2 0 3\t2\t4\n2\n7\t8\t9\t1\n"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x[{ {1, -1, -1} }]", "negative step -1 of range 1: steps go forward"),
        ("x[{ {}, {3, 1, -2} }]", "range {3, 1} of dimension 2 ends before it starts"),
        ("x[{ {1, 2, 0} }]", "the step of range 1 must be a whole number of at least 1 (got 0)"),
        ("x[{ {1, 2, 0.5} }]", "must be a whole number of at least 1 (got 0.5)"),
        ("x[{ {1, 2, {}} }]", "the step of range 1 must be a number (got table)"),
        ("x[{ '...', '...' }]", "cannot stand twice"),
        ("x[{ 1, 1, 1, '...' }]", "too many indices: 3 given"),
        ("x[{ nil, nil, 1 }]", "too many indices: 3 given"),
        ("x[{ {}, nil, 1 }]", "too many indices: 3 given"),
        ("x[1][{ nil, 1 }]", "too many indices: 2 given"),
        ("x[{ '..' }]", "index 1 must be a number or range"),
    ],
)
def test_wrong_lists_are_errors(engine: Engine, source: str, message: str) -> None:
    for statement in (f"return {source}", f"{source} = 1"):
        result = engine.execute(f"local x = torch.zeros(3, 4) {statement}")
        assert not result.ok and message in result.report()


def test_torch5_reads_two_bounds() -> None:
    assert Runtime("torch5").execute("return torch.range(1, 6)[{ {1, 6, 2} }]").size == 6


def test_th_reads_a_list_up_to_what_is_no_index() -> None:
    program = """
        local x, order = torch.range(1, 6):resize(2, 3), torch.LongTensor{2, 1}
        x[{ 1, order }] = 7
        return x[{ {}, order }]:sum(), x[{ order, 1 }]:dim(), x[{ 2, order }][3], x[{ {1}, 'a' }]:sum()
    """
    with pytest.warns(T7Warning, match="index 2 is no number or range"):
        assert Runtime("th").execute(program) == (36, 2, 6, 21)
