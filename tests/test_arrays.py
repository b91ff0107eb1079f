"""Tensors and NumPy arrays on the same memory."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.runtimes import runtime_fixture

TYPES = {
    "Double": "float64",
    "Float": "float32",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
}


runtime = runtime_fixture()


@pytest.mark.parametrize(("name", "dtype"), TYPES.items())
def test_tensor_to_array_shares(runtime: Runtime, name: str, dtype: str) -> None:
    array = runtime.execute(f"t = torch.{name}Tensor(2, 3):fill(1) return t")
    assert array.dtype == dtype and array.shape == (2, 3) and (array == 1).all()
    array[1, 2] = 7
    assert runtime.eval("t[2][3]") == 7
    runtime.execute("t[1][1] = 5")
    assert array[0, 0] == 5


@pytest.mark.parametrize(("name", "dtype"), TYPES.items())
def test_array_to_tensor_shares(runtime: Runtime, name: str, dtype: str) -> None:
    array = np.arange(6, dtype=dtype).reshape(2, 3)
    runtime.globals()["a"] = array
    assert runtime.eval("torch.type(a), a:size(1), a:size(2), a[2][1]") == (f"torch.{name}Tensor", 2, 3, 3)
    runtime.execute("a[1][2] = 42")
    assert array[0, 1] == 42
    array[1, 1] = 24
    assert runtime.eval("a[2][2]") == 24


def test_views_keep_their_strides_and_offset(runtime: Runtime) -> None:
    array = runtime.execute("base = torch.range(1, 24):resize(4, 6) return base:narrow(2, 2, 3):t()")
    assert array.shape == (3, 4) and array.strides == (8, 48)
    assert array.tolist() == [[2, 8, 14, 20], [3, 9, 15, 21], [4, 10, 16, 22]]
    array[0, 0] = -1
    assert runtime.eval("base[1][2]") == -1


def test_array_views_as_tensors(runtime: Runtime) -> None:
    base = np.arange(24.0).reshape(4, 6)
    second = runtime.eval("function(t) t[1][2] = -5 return t:stride(1), t:stride(2), t:sum() end")
    view = base[1:, ::2].T
    assert second(view) == (2, 6, view.sum())
    assert base[2, 0] == -5


def test_storage_is_one_dimensional(runtime: Runtime) -> None:
    array = runtime.execute("s = torch.LongStorage{4, 5, 6} return s")
    assert array.dtype == np.int64 and array.tolist() == [4, 5, 6]
    array[0] = 9
    assert runtime.eval("s[1]") == 9


def test_empty_ones(runtime: Runtime) -> None:
    assert runtime.eval("torch.FloatTensor()").shape == (0,)
    assert runtime.execute("local x = torch.ones(2, 2) x:resize(0) return x").shape == (0,)
    assert runtime.eval("torch.IntStorage()").dtype == np.int32
    assert runtime.eval("function(t) return torch.type(t), t:dim() end")(np.empty((0, 3), np.float32)) == (
        "torch.FloatTensor",
        0,
    )


def test_memory_outlives_both_sides(runtime: Runtime) -> None:
    array = runtime.eval("torch.Tensor(1000, 100):fill(3)")
    small = runtime.eval("torch.Tensor(10):fill(4)")
    runtime.globals()["kept"] = np.full((1000, 100), 5.0)
    for _ in range(3):
        gc.collect()
        runtime.execute("collectgarbage() for i = 1, 50 do local t = torch.Tensor(1000, 100):fill(0) end")
    assert (array == 3).all() and (small == 4).all()
    assert runtime.eval("kept:min(), kept:max()") == (5, 5)


def test_an_array_survives_the_growth_of_its_tensor(runtime: Runtime) -> None:
    array = runtime.execute("grown = torch.Tensor(10):fill(6) return grown")
    runtime.execute("grown:resize(100000):fill(1) collectgarbage() collectgarbage()")
    assert array.tolist() == [6] * 10


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0)[::-1],
        np.arange(6, dtype=">f8"),
        np.zeros(6, dtype=[("a", "i1"), ("b", "f8")])["b"],
        np.broadcast_to(np.float64(2), (3,)),
    ],
)
def test_layouts_that_no_tensor_has_are_copied(runtime: Runtime, array: np.ndarray) -> None:
    assert runtime.eval("function(t) return t end")(array).tolist() == array.tolist()


@pytest.mark.parametrize("array", [np.zeros((3, 1))[:, ::-1], np.zeros((1, 4), np.int64)[::-1]])
def test_strides_of_single_elements_mean_nothing(runtime: Runtime, array: np.ndarray) -> None:
    runtime.execute("return function(x) x[1][1] = 7 assert(x:sum() == 7) end")(array)
    assert array[0, 0] == 7


def test_special_types(runtime: Runtime) -> None:
    name = runtime.eval("function(t) return torch.type(t), t:dim(), t:storage()[1] end")
    assert name(np.array([True, False])) == ("torch.ByteTensor", 1, 1)
    assert name(np.array(2.5)) == ("torch.DoubleTensor", 1, 2.5)
    assert runtime.eval("function(x) return type(x), x end")(np.float32(0.5)) == ("number", 0.5)
    with pytest.raises(TypeError, match="no tensor has elements of the NumPy type complex128"):
        name(np.zeros(2, complex))


def test_a_foreign_tensor_does_not_grow_out_of_its_memory(runtime: Runtime) -> None:
    array = np.arange(4.0)
    assert runtime.eval("function(t) return (pcall(t.resize, t, 100)) end")(array) is False
    assert array.tolist() == [0, 1, 2, 3]


def test_callbacks_get_arrays(runtime: Runtime) -> None:
    double = runtime.eval("function(f, t) return f(t):sum() end")
    assert double(lambda array: array * 2, np.arange(4.0)) == 12


def test_subclasses_of_arrays_are_taken_for_their_memory() -> None:
    class Liar(np.ndarray[Any, Any]):
        @property
        def shape(self) -> Any:
            return (10**7,)

    lua = Runtime()
    lua.globals()["a"] = np.ones(3).view(Liar)
    assert lua.eval("a:nElement()") == 3
    with pytest.raises(TypeError, match="masked"):
        lua.globals()["m"] = np.ma.array([1.0, 2.0], mask=[0, 1])


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
@pytest.mark.parametrize("size", [3, 5000])
def test_nans_between_the_elements_of_a_view(dtype: str, size: int) -> None:
    """A view stays one, whatever lies between its elements, so that results in place arrive."""
    bits = {"f8": 0xFFFD800041414140, "f4": 0xFFC0BEEF, "f2": 0xFEEF}[dtype]
    memory = np.full((size, 3), bits, f"u{dtype[1]}")
    view = memory.view(dtype)[:, 1]
    view[...] = 1
    view[size // 2] = np.nan
    lua = Runtime()
    lua.globals["x"] = view
    lua.execute("x:mul(2) x[1] = 7 s = x:storage() x:storage():size()")
    assert view[0] == 7 and view[-1] == 2 and np.isnan(view[size // 2])
    assert (memory[:, [0, 2]] == bits).all()
    assert lua.eval("type(s[2])") == "number" and lua.eval("s[2] ~= s[2]")
    lua.execute("y = torch.Tensor():typeAs(x):resize(#s):copy(torch[x:type():match '%a+$'](s))")
    assert lua.eval("type(y:sum())") == "number"
    lua.execute("for i = 1, #s do assert(type(s[i]) == 'number') end")
