"""Elements of one of two tensors, as a mask says, and the positions of a mask."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from t7shell import Runtime
from t7shell.engine.engine import Engine
from t7shell.engine.errors import T7Error
from tests.runtimes import runtime_fixture

Lua = Callable[[str], str]
TYPES = [np.float64, np.float32, np.int64, np.int32, np.int16, np.int8, np.uint8]


runtime = runtime_fixture()


@pytest.mark.parametrize("kind", TYPES)
def test_where_follows_numpy(runtime: Runtime, kind: type) -> None:
    source = np.random.default_rng(5)
    where = runtime.execute("return function(m, x, y) return torch.where(m, x, y) end")
    methods = runtime.execute("return function(m, x, y) return x:where(m, y), x.new():where(m, x, y) end")
    for shape in ((7,), (3, 4), (2, 1, 3, 2, 2)):
        mask = source.integers(0, 2, shape).astype(np.uint8)
        x, y = source.integers(0, 99, (2, *shape)).astype(kind)
        for p, q, m in ((x, y, mask), (x.T, y.T, mask.T), (x, 3, mask), (4, y.T, mask.T)):
            made = where(m, p, q)
            assert made.dtype == kind and (made == np.where(m, p, q)).all()
        assert all((made == np.where(mask, x, y)).all() for made in methods(mask, x, y))


def test_modern_broadcasts(runtime: Runtime) -> None:
    source = np.random.default_rng(6)
    modern = Runtime("modern")
    where = modern.execute("return function(m, x, y) return torch.where(m, x, y) end")
    shapes = [((3, 4), (4,), (3, 1)), ((4,), (2, 3, 4), (1,)), ((2, 1, 1), (3, 4), (2, 3, 4))]
    for mask, x, y in shapes:
        m, p, q = source.integers(0, 2, mask).astype(np.uint8), source.random(x), source.random(y)
        assert (where(m, p, q) == np.where(m, p, q)).all()
        assert (where(m, p, 7) == np.where(m, p, 7)).all() and (where(m, 7, q) == np.where(m, 7, q)).all()
    for lua, message in ((modern, "do not broadcast"), (runtime, "the dialect 'modern' would broadcast")):
        given = "torch.ByteTensor(3, 4):zero(), torch.ones(4), " + ("torch.ones(3)" if lua is modern else "1")
        with pytest.raises(T7Error, match=message):
            lua.execute(f"return torch.where({given})")


def test_whole_numbers_keep_all_bits(lua: Lua) -> None:
    program = """
        local x = torch.LongTensor{2}:apply(function() return 2 ^ 53 end):add(1)
        print((torch.where(torch.ByteTensor{1}, x, 0) - x)[1], torch.where(torch.ByteTensor{1}, 1, 2):type())
    """
    assert lua(program) == "0\ttorch.DoubleTensor\n"


def test_results_may_share_memory(lua: Lua) -> None:
    program = """
        local x = torch.range(1, 6)
        local r, m = x:narrow(1, 1, 4), torch.ByteTensor{1, 0, 1, 0}
        torch.where(r, m, x:narrow(1, 3, 4), r)
        print(x[1], x[2], x[3], x[4], x[5])
        print(torch.HalfTensor{1, 2}:where(torch.ByteTensor{0, 1}, 9)[1])
        print(torch.where(torch.ByteTensor(), 1, 2):dim())
    """
    assert lua(program) == "3\t2\t5\t4\t5\n9\n0\n"


def test_positions_of_all_dimensions(runtime: Runtime) -> None:
    where = runtime.execute("return function(m) return torch.where(m) end")
    x = np.random.default_rng(1).integers(0, 3, (3, 2, 4, 2, 2))
    for found, expected in zip(where(x), np.nonzero(x), strict=True):
        assert found.dtype == np.int64 and (found == expected + 1).all()
    assert runtime.execute("return torch.zeros(2, 3):where()")[1].size == 0


def test_tensors_of_devices(lua: Lua) -> None:
    program = """
        require 'cutorch'
        local x = torch.CudaTensor{1, -2}
        local r = torch.where(x:gt(0), x, 0)
        print(r:type(), r[1], r[2], x:where(x:gt(0), x):type())
    """
    assert lua(program) == "torch.CudaTensor\t1\t0\ttorch.CudaTensor\n"


@pytest.mark.parametrize(
    "source",
    [
        "torch.where(torch.ones(2), torch.ones(2), 1)",
        "torch.where(torch.ByteTensor{1, 0}, torch.ones(2), torch.LongTensor(2))",
        "torch.where(torch.ByteTensor{1, 0}, torch.ones(3), 1)",
        "torch.where(torch.ByteTensor{1, 0}, torch.ones(2))",
        "torch.where(torch.ByteTensor{1, 0}, 'x', 1)",
        "torch.where(1, torch.ByteTensor{1, 0}, 1, 2)",
        "torch.where(torch.LongTensor(2), torch.ByteTensor{1, 0}, torch.ones(2), 2)",
        "torch.where()",
    ],
)
def test_wrong_arguments_are_errors(engine: Engine, source: str) -> None:
    result = engine.execute(source)
    assert not result.ok and "where: in" in result.report()
