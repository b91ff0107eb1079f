"""Work that is shared between cores gives what one core gives, bit for bit."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.tied_order import places_along

# Below, at and above the counts from which work is shared, and not a multiple of any block.
COUNTS = [5, 64, 1023, 1024, 5000, 16384, 100003]


@pytest.fixture(scope="module")
def runtime(slow: bool) -> Runtime:
    runtime = Runtime()
    runtime.execute(
        f"""
        local times = {20 if slow else 3}
        """
        """
        -- The result of work() on one core, and whether more give the same, be they asleep or awake.
        function on_one_and_more(work)
           local before = torch.getnumthreads()
           torch.setnumthreads(1)
           local one, same = work(), true
           for _, count in ipairs { 2, 3, 4, 8 } do
              torch.setnumthreads(count)
              for _ = 1, times do
                 local more = work()
                 local nans = torch.ne(one, one):cmul(torch.ne(more, more))
                 same = same and torch.eq(one, more):add(nans):min() == 1
              end
           end
           torch.setnumthreads(before)
           return one, same
        end
        """
    )
    return runtime


def both(runtime: Runtime, work: str) -> Any:
    one, same = runtime.execute(f"return on_one_and_more(function() {work} end)")
    assert same
    return one


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", ["Double", "Float"])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("exp", np.exp),
        ("tanh", np.tanh),
        ("sin", np.sin),
        ("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
        ("rsqrt", lambda x: 1 / np.sqrt(x)),
    ],
)
def test_functions(runtime: Runtime, name: str, expected: Any, dtype: str) -> None:
    tolerance = 1e-14 if dtype == "Double" else 2e-6
    for count in COUNTS:
        runtime.execute(f"torch.manualSeed(2) x = torch.{dtype}Tensor({count}):uniform(0.01, 9)")
        x = np.array(runtime.eval("x"))
        for work in (f"return torch.{name}(x)", f"local y = x:clone() return y:{name}()",
                     f"local z = torch.{dtype}Tensor({count}, 2):select(2, 2) return torch.{name}(z, x)"):
            np.testing.assert_allclose(both(runtime, work), expected(x), tolerance)


def test_programs_of_several_tensors(runtime: Runtime) -> None:
    for count in COUNTS:
        runtime.execute(f"torch.manualSeed(3) local a = torch.rand(3, {count}) x, y, z = a[1], a[2], a[3]")
        x, y, z = (np.array(runtime.eval(name)) for name in "xyz")
        got = both(runtime, "return torch.addcmul(x, 2.5, y, z)")
        np.testing.assert_allclose(got, x + 2.5 * y * z, 1e-14)
        got = both(runtime, "return x:clone():addcdiv(3, y, z:clone():add(1))")
        np.testing.assert_allclose(got, x + 3 * y / (z + 1), 1e-14)
        np.testing.assert_allclose(both(runtime, "local r = x:clone() return r:add(4, r)"), 5 * x, 1e-14)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("layout", ["x", "x:view(-1, 7):t()", "x:view(7, -1):sub(1, 7, 2, -1)"])
@pytest.mark.parametrize("kind", ["Double", "Float", "Long", "Int", "Short", "Char", "Byte"])
def test_totals(runtime: Runtime, kind: str, layout: str) -> None:
    # Below, at and above two pieces, and with a piece of one element.
    for count in (21, 2 * 32768 - 2, 2 * 32768 + 5, 3 * 32768 + 1, 300006):
        count -= count % 7
        runtime.execute(f"x = torch.range(1, {count}):mul(37):apply(function(v) return v % 101 - 13 end)"
                        f":type('torch.{kind}Tensor') x = {layout}")
        x = np.array(runtime.eval("x")).astype(float)
        for name, expected in (("sum", x.sum()), ("max", x.max()), ("min", x.min())):
            got = both(runtime, f"return torch.DoubleTensor {{ x:{name}() }}")
            np.testing.assert_allclose(got, [expected], 1e-13)
        if kind in ("Double", "Float"):
            runtime.execute("y = x:clone():fill(0.5):add(x)")
            got = both(runtime, "return torch.DoubleTensor { x:dot(y), x:norm() }")
            np.testing.assert_allclose(got, [(x * (x + 0.5)).sum(), np.sqrt((x * x).sum())], 1e-6)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("source", ["Double", "Float", "Long", "Int", "Byte"])
def test_conversions(runtime: Runtime, source: str) -> None:
    kinds = {
        "Double": "f8", "Float": "f4", "Long": "i8", "Int": "i4", "Short": "i2", "Char": "i1", "Byte": "u1"
    }
    for count in (31, 8005, 100003):
        runtime.execute(f"x = torch.range(1, {count}):mul(1.37):apply(function(v) return v % 100 end)"
                        f":type('torch.{source}Tensor')")
        x = np.array(runtime.eval("x"))
        for kind, dtype in kinds.items():
            same = both(runtime, f"return x:type('torch.{kind}Tensor')")
            np.testing.assert_array_equal(same, x.astype(dtype))
            strided = f"torch.{kind}Tensor({count}, 2):zero():select(2, 2)"
            got = both(runtime, f"return {strided}:copy(x:view(1, -1):expand(3, {count}):t():select(2, 2))")
            np.testing.assert_array_equal(got, x.astype(dtype))


SLICED = [(5, 7), (33, 40), (9, 9000), (700, 1100), (40, 3, 900), (3, 900, 40), (2, 40000)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["Double", "Float", "Long", "Byte"])
@pytest.mark.parametrize("sizes", SLICED)
def test_sums_along_dimensions(runtime: Runtime, kind: str, sizes: tuple[int, ...]) -> None:
    runtime.execute(f"x = torch.zeros({', '.join(map(str, sizes))}) local k = 0"
                    " x:apply(function() k = k + 37 return k % 101 - 13 end)"
                    f" x = x:type('torch.{kind}Tensor') y = x:transpose(1, 2)")
    for name in "xy":
        values = np.array(runtime.eval(name)).astype(float)
        for axis in range(values.ndim):
            expected = values.sum(axis, keepdims=True)
            got = both(runtime, f"return {name}:sum({axis + 1})")
            np.testing.assert_allclose(got, expected % 256 if kind == "Byte" else expected, 1e-6)
            if kind == "Double":
                got = both(runtime, f"return {name}:prod({axis + 1})")
                np.testing.assert_allclose(got, values.prod(axis, keepdims=True), 1e-6)


@pytest.mark.parametrize("kind", ["Double", "Float", "Int", "Byte"])
def test_positions_of_equal_elements(runtime: Runtime, kind: str) -> None:
    runtime.execute(f"torch.manualSeed(4) x = torch.rand(300, 40):mul(9):floor():type('torch.{kind}Tensor')")
    x = np.array(runtime.eval("x"))
    for down in (False, True):
        got = both(runtime, f"local v, p = x:sort(2, {str(down).lower()}) return p")
        np.testing.assert_array_equal(got, places_along(x, 1, down) + 1)


def test_totals_of_nan(runtime: Runtime) -> None:
    runtime.execute("x = torch.zeros(100000) x[99999] = 0 / 0")
    for name in ("sum", "max", "min", "norm"):
        assert np.isnan(both(runtime, f"return torch.DoubleTensor {{ x:{name}() }}")[0])


def test_result_that_overlaps_an_operand(runtime: Runtime) -> None:
    """Torch7 would go from front to back; here the operand is taken as it was."""
    for count in COUNTS:
        runtime.execute(f"n = {count}")
        work = "local s = torch.range(1, n + 1) return s:narrow(1, 2, n):add(2, s:narrow(1, 1, n))"
        first = np.arange(1.0, count + 1)
        np.testing.assert_array_equal(both(runtime, work), first + 1 + 2 * first)


def test_errors_leave_no_work_behind(runtime: Runtime) -> None:
    source = """
    local x = torch.rand(20000)
    for _ = 1, 20 do
       torch.exp(x)
       pcall(torch.addcmul, x, 1, x, torch.rand(3))
       pcall(torch.exp, x, 'x')
    end
    return torch.zeros(20000):exp():sum()
    """
    assert math.isclose(runtime.eval(f"(function() {source} end)()"), 20000)


def alone(arguments: list[str]) -> tuple[str, str]:
    """The output of a separate process on its two streams."""
    command = [sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    return done.stdout, done.stderr


def test_runtimes_do_not_share_memory_for_sorting() -> None:
    program = """
    local ok = true
    for k = 1, 20 do
       local s = torch.rand(100 + 50 * k):sort()
       ok = ok and s:narrow(1, 2, 99):ge(s:narrow(1, 1, 99)):min() == 1
    end
    return ok
    """
    kept = Runtime()
    results: list[Any] = [kept.execute(program)]

    def work() -> None:
        runtime = Runtime()
        results.extend(runtime.execute(program) for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.append(kept.execute(program))
    assert results == [True] * 17


def test_first_products_in_several_threads() -> None:
    """In a separate process, in which nothing is loaded yet."""
    program = """
import threading
from t7shell import Runtime
from tests.tied_order import places_along
runtimes = [Runtime() for _ in range(4)]
results = []
def work(runtime):
    results.append(runtime.eval("torch.mm(torch.eye(3), torch.eye(3)):sum()"))
threads = [threading.Thread(target=work, args=(runtime,)) for runtime in runtimes]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(results)
"""
    assert alone(["-c", program]) == ("[3, 3, 3, 3]\n", "")
