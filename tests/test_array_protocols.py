"""Tensors and objects with `__array_interface__`, the buffer protocol or DLPack."""

from __future__ import annotations

import array
import ctypes
import gc
import subprocess
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.runtimes import runtime_fixture


class Interface:
    """Offers the memory of an array by `__array_interface__` alone."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self.values.__array_interface__


class Capsule:
    """Offers the memory of an array by DLPack alone."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


PROTOCOLS: dict[str, Callable[[np.ndarray], Any]] = {
    "interface": Interface,
    "buffer": memoryview,
    "dlpack": Capsule,
}
TYPES = {
    "float64": "Double", "float32": "Float", "float16": "Half", "int64": "Long", "int32": "Int",
    "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Byte",
}  # fmt: skip


runtime = runtime_fixture()


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("dtype", TYPES)
def test_elements_are_shared(runtime: Runtime, protocol: str, dtype: str) -> None:
    values = np.array([[0, 1, 0], [1, 0, 1]], dtype)
    change = runtime.eval(
        "function(t) t[1][1] = 1 return torch.type(t), t:size(1), t:size(2), t[1][2], t[2][2] end"
    )
    assert change(PROTOCOLS[protocol](values)) == (f"torch.{TYPES[dtype]}Tensor", 2, 3, 1, 0)
    assert values[0, 0] == 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_layouts(runtime: Runtime, protocol: str) -> None:
    offer, base = PROTOCOLS[protocol], np.arange(24.0).reshape(4, 6)
    view = base[1:, ::2].T
    layout = runtime.eval("function(t) t[1][2] = -5 return t:stride(1), t:stride(2), t:sum() end")
    assert layout(offer(view)) == (2, 6, view.sum())
    assert base[2, 0] == -5
    same = runtime.eval("function(t) return t end")
    backwards = same(offer(base[::-1]))
    assert np.array_equal(backwards, base[::-1]) and not np.shares_memory(backwards, base)
    assert same(offer(np.array(2.5))).tolist() == [2.5]
    assert same(offer(np.empty((0, 3), np.float32))).shape == (0,)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_memory_that_may_not_be_written_is_copied(runtime: Runtime, protocol: str) -> None:
    values = np.ones(3)
    values.flags.writeable = False
    assert runtime.eval("function(t) return t:fill(5):sum() end")(PROTOCOLS[protocol](values)) == 15
    assert values.tolist() == [1, 1, 1]


@pytest.mark.parametrize("protocol", ["interface", "buffer"])
def test_a_foreign_byte_order_is_copied(runtime: Runtime, protocol: str) -> None:
    values = np.array([1, 2, 300], ">i4")
    assert runtime.eval("function(t) return t end")(PROTOCOLS[protocol](values)).tolist() == [1, 2, 300]


@pytest.mark.parametrize(
    ("dtype", "name"), [("uint16", "uint16"), ("complex64", "complex64"), ("uint64", "uint64")]
)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_other_elements_are_errors_that_name_them(
    runtime: Runtime, protocol: str, dtype: str, name: str
) -> None:
    with pytest.raises(TypeError, match=name):
        runtime.globals["t"] = PROTOCOLS[protocol](np.zeros(2, dtype))


def test_an_object_that_cannot_give_its_elements_is_an_error(runtime: Runtime) -> None:
    class Elsewhere:
        dtype = "bfloat16"

        def __dlpack__(self, **options: Any) -> Any:
            raise BufferError("on another device")

        def __dlpack_device__(self) -> Any:
            return (1, 0)

    with pytest.raises(TypeError, match=r"Elsewhere with elements of bfloat16: on another device"):
        runtime.globals["t"] = Elsewhere()


def test_objects_of_the_standard_library(runtime: Runtime) -> None:
    fill = runtime.eval("function(t) t:fill(7) return torch.type(t) end")
    numbers, text, floats = array.array("h", [1, 2]), bytearray(b"abc"), (ctypes.c_float * 3)()
    assert [fill(numbers), fill(text), fill(floats)] == [
        "torch.ShortTensor", "torch.ByteTensor", "torch.FloatTensor",
    ]  # fmt: skip
    assert list(numbers) == [7, 7] and text == b"\7\7\7" and list(floats) == [7, 7, 7]


def test_other_objects_pass_as_they_are(runtime: Runtime) -> None:
    same = runtime.eval("function(t) return t, type(t) end")
    thing = object()
    assert same(thing) == (thing, "userdata")
    assert same(b"bytes")[1] == "string" and same(Interface)[1] == "function"


def test_results_of_functions_of_python_become_tensors(runtime: Runtime) -> None:
    assert runtime.eval("function(f) return f():sum() end")(lambda: Capsule(np.arange(4.0))) == 6


@pytest.mark.parametrize("dtype", [dtype for dtype in TYPES if dtype != "bool"])
def test_tensors_offer_all_protocols(runtime: Runtime, dtype: str) -> None:
    tensor = runtime.execute(f"t = torch.{TYPES[dtype]}Tensor(3, 4):fill(1):t() return t")
    others = [np.from_dlpack(tensor), np.asarray(memoryview(tensor)), np.asarray(Interface(tensor))]
    assert tensor.__dlpack_device__() == (1, 0)
    for other in others:
        assert other.dtype == dtype and other.shape == (4, 3) and other.strides == tensor.strides
        other[3, 1] += 1
    assert runtime.eval("t[4][2]") == 4


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_owners_live_as_long_as_their_tensors(protocol: str) -> None:
    runtime = Runtime()
    values = np.full(1000, 3.0)
    owner = PROTOCOLS[protocol](values)
    runtime.globals["t"] = owner
    gone = weakref.ref(values)
    del values, owner
    gc.collect()
    assert gone() is not None and runtime.eval("t:sum()") == 3000
    runtime.execute("t = nil for _ = 1, 3 do collectgarbage() end")
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("take", [np.from_dlpack, memoryview, lambda tensor: np.asarray(Interface(tensor))])
def test_tensors_outlive_their_state(take: Callable[[Any], Any]) -> None:
    runtime = Runtime()
    taken = take(runtime.eval("torch.Tensor(100000):fill(4)"))
    runtime.execute("for _ = 1, 20 do torch.Tensor(100000):fill(0) end collectgarbage()")
    runtime.close()
    del runtime
    gc.collect()
    assert np.asarray(taken).min() == np.asarray(taken).max() == 4


AT_THE_END = """
import numpy as np
from t7shell import Runtime
lua, held = Runtime(), []
{body}
print("done")
"""
LAST = {
    "tensors of Lua": "held += [np.from_dlpack(lua.eval('torch.rand(1e5)')), lua.eval('torch.rand(1e5)')]",
    "memory of Python": "lua.globals['t'] = np.ones(9999); lua.globals['u'] = memoryview(bytearray(9999))",
    "a circle": "x = lua.eval('torch.rand(99)'); lua.globals['x'] = np.from_dlpack(x); held.append(x)",
    "garbage of its own": """
class Cycle:
    pass
def take(array): return lua.eval("function(t) return torch.type(t) end")(array)
x, y = lua.eval("torch.HalfTensor(3)"), take(np.ones(3))
""",
    "a closed state": "held.append(memoryview(lua.eval('torch.rand(1e5)'))); lua.close()",
    "PyTorch": """
import torch
x = torch.from_dlpack(lua.eval('torch.rand(1e5)'))
lua.globals['y'] = torch.ones(100000)
held += [x, torch.from_dlpack(lua.globals['y'])]
""",
}


@pytest.mark.parametrize("name", LAST)
def test_the_interpreter_ends_with_shared_memory(name: str) -> None:
    if name == "PyTorch":
        pytest.importorskip("torch")
    program = AT_THE_END.format(body=LAST[name])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_pytorch_shares_memory_both_ways(runtime: Runtime) -> None:
    torch = pytest.importorskip("torch")
    for kind in TYPES:
        tensor = torch.zeros(2, 3, dtype=getattr(torch, kind)).t()
        runtime.eval("function(t) t[3][2] = 1 end")(tensor)
        assert tensor[2, 1] == 1 and tensor.sum() == 1
    ours = torch.from_dlpack(runtime.execute("p = torch.zeros(2, 3) return p:t()"))
    ours[2, 1] = 5
    assert runtime.eval("p[2][3]") == 5
    with pytest.raises(TypeError, match="bfloat16"):
        runtime.globals["p"] = torch.zeros(2, dtype=torch.bfloat16)
    with pytest.raises(TypeError, match="detach"):
        runtime.globals["p"] = torch.zeros(2, requires_grad=True)


def test_jax_reads_tensors_and_is_copied(runtime: Runtime) -> None:
    jax = pytest.importorskip("jax")
    values = jax.numpy.arange(6.0).reshape(2, 3)
    assert runtime.eval("function(t) return t:add(1):sum() end")(values) == 21
    assert values.sum() == 15
    assert jax.dlpack.from_dlpack(runtime.eval("torch.FloatTensor(64):fill(2)")).sum() == 128
    with pytest.raises(TypeError, match="bfloat16"):
        runtime.globals["p"] = values.astype("bfloat16")


def test_arrow_shares_tensors_and_is_copied(runtime: Runtime) -> None:
    arrow = pytest.importorskip("pyarrow")
    fill = runtime.eval("function(t) return t:fill(4):sum() end")
    column, matrix = arrow.array([1.0, 2.0]), np.ones((2, 3))
    assert fill(column) == 8 and column.to_pylist() == [1, 2]
    assert fill(arrow.Tensor.from_numpy(matrix)) == 24 and matrix.sum() == 24
    ours = runtime.execute("a = torch.ones(3) return a")
    assert arrow.array(ours).buffers()[1].address == ours.ctypes.data
    with pytest.raises(TypeError, match="no nulls"):
        runtime.globals["p"] = arrow.array([1.0, None])
