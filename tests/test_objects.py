"""Objects of Lua classes and of files in Python: methods, fields, printing, errors, annotations."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import t7shell
from t7shell import LuaObject, LuaTable, Runtime
from t7shell.t7file import Object
from tests.runtimes import runtime_fixture

lua = runtime_fixture("require 'nn'")


@pytest.fixture
def net(lua: Runtime) -> LuaObject:
    made = lua.eval("nn.Sequential():add(nn.Linear(3, 2)):add(nn.Tanh())")
    assert isinstance(made, LuaObject)
    return made


def test_methods_are_called_with_the_object(net: LuaObject) -> None:
    linear = net.get(1)
    x = np.array([1.0, 2, 3])
    expected = np.tanh(linear.weight @ x + linear.bias)
    np.testing.assert_allclose(net.forward(x), expected)
    np.testing.assert_allclose(net(x), expected)
    np.testing.assert_allclose(net.call("forward", x), expected)
    assert net.add(net.get(2)) == net and net.size() == 3


def test_attributes_are_fields(lua: Runtime, net: LuaObject) -> None:
    linear = net.get(1)
    linear.weight[:] = 0
    linear.note, linear["other"] = "n", [1, 2]
    assert lua.eval("function(m) return m.weight:sum(), m.note, m.other[2] end")(linear) == (0, "n", 2)
    assert "note" in linear and "none" not in linear and linear["note"] == linear.fields["note"] == "n"
    del linear.note
    assert not hasattr(linear, "note")
    assert linear.to_dict()["other"] == [1, 2] and set(linear) == set(linear.fields)
    assert isinstance(net.modules, LuaTable) and net.modules[1] == linear


def test_printing_and_dir(net: LuaObject) -> None:
    assert str(net).splitlines()[2:] == ["  (1): nn.Linear(3 -> 2)", "  (2): nn.Tanh", "}"]
    assert repr(net) == str(net)
    names = dir(net)
    assert {"forward", "add", "zeroGradParameters", "modules", "typename"} <= set(names)
    assert all(name.isidentifier() for name in names)


def test_a_wrong_attribute_names_those_that_are_there(net: LuaObject) -> None:
    with pytest.raises(
        AttributeError, match=r"nn.Linear has no field or method 'wieght'; did you mean 'weight'\?"
    ):
        net.get(1).wieght  # noqa: B018
    with pytest.raises(AttributeError, match="it has _type, bias, gradBias"):
        net.get(1).zzz  # noqa: B018
    with pytest.raises(AttributeError, match="has no field or method 'zzz'"):
        del net.zzz
    assert getattr(net, "__array__", None) is None


def test_objects_of_a_program(lua: Runtime) -> None:
    lua.execute("""
        local Counter, parent = torch.class('Counter')
        function Counter:__init(n) self.n = n end
        function Counter:up(by) self.n = self.n + (by or 1) return self end
        local Loud = torch.class('LoudCounter', 'Counter')
        function Loud:__tostring__() return 'LOUD ' .. self.n end
        function Loud:shout() error('too loud') end
    """)
    loud = lua.eval("LoudCounter(3)")
    assert loud.up().up(5).n == 9 and str(loud) == "LOUD 9" and loud.typename == "LoudCounter"
    assert {"up", "shout", "n"} <= set(dir(loud))
    with pytest.raises(t7shell.LuaError, match="too loud"):
        loud.shout()
    assert loud != lua.eval("LoudCounter(9)") and len({loud, copy.copy(loud)}) == 1
    deep = copy.deepcopy(loud)
    assert deep.up().n == 10 and loud.n == 9


def test_tables_have_attributes_too(lua: Runtime) -> None:
    nn = lua.require("nn")
    assert nn.Linear(3, 2).forward(np.ones(3)).shape == (2,)
    with pytest.raises(AttributeError, match="no entry 'Linaer' in this table; did you mean 'Linear'"):
        nn.Linaer  # noqa: B018
    assert lua.eval("{a = {1, 2}, b = {x = 1}}").to_dict() == {"a": [1, 2], "b": {"x": 1}}
    assert lua.eval("{1, {2, 3}}").to_list() == [1, [2, 3]]
    assert lua.eval("{a = {}, [2.5] = true}").to_dict() == {"a": {}, 2.5: True}
    loop = lua.eval("(function() local t = {{}}; t[1].up = t; t.again = t[1]; return {t} end)()").to_list()[0]
    assert loop[1]["up"] is loop and loop["again"] is loop[1]
    deep = lua.eval("(function() local t = {}; for i = 1, 5000 do t = {t} end return t end)()").to_list()
    assert len(deep) == 1


def test_objects_of_files(lua: Runtime, tmp_path: Path) -> None:
    path = tmp_path / "l.t7"
    lua.execute(f"torch.save('{path}', nn.Linear(3, 2))")
    linear = t7shell.load(path)
    assert linear["weight"] is linear.weight is linear.fields["weight"]
    assert str(linear).splitlines()[0] == "nn.Linear"
    assert "  weight: array of float64, shape (2, 3)" in str(linear).splitlines()
    assert "weight" in dir(linear) and "weight" in linear and "weight" in list(linear)
    linear.bias = np.zeros(2)
    linear["extra"] = 5
    t7shell.save(linear, path)
    printed = lua.eval(f"torch.load('{path}').bias:sum() + torch.load('{path}').extra")
    assert printed == 5
    with pytest.raises(AttributeError, match=r"Linear has no field 'wieght'; it has .*weight"):
        linear.wieght  # noqa: B018
    with pytest.raises(KeyError, match="no field 'wieght'"):
        linear["wieght"]
    twin = copy.deepcopy(linear)
    twin.weight[:] = 0
    assert linear.weight.any() and twin.typename == "nn.Linear"
    assert "\x1b" not in repr(Object("\x1b[2J", {"\x1b": "\x1b"}))


def test_save_tells_the_object_from_the_path(tmp_path: Path) -> None:
    path = tmp_path / "x.t7"
    for first, second in (({"a": 1}, path), (path, {"a": 1}), (str(path), {"a": 1}), ({"a": 1}, str(path))):
        t7shell.save(first, second)
        assert t7shell.load(path) == {"a": 1}
        path.unlink()
    t7shell.save("text", str(path))
    assert t7shell.load(path) == "text"
    t7shell.save(path, "other", "ascii")
    assert path.read_bytes() == b"2\n5\nother\n"
    with pytest.raises(TypeError, match="got two strings"):
        t7shell.save("x.t7", "text")
    with pytest.raises(TypeError, match=r"expected an object and a path \(got dict and int\)"):
        t7shell.save({}, 3)  # type: ignore[call-overload]


USER = """
from pathlib import Path

import numpy as np

import t7shell
from t7shell import LuaObject, Model, Runtime, load, load_model, save

value = load("x.t7")
save({"a": np.ones(2)}, "x.t7")
save(Path("x.t7"), [1, 2], "ascii")
model: Model = load_model("x.t7", classes=["my"], key="net").eval().float()
total: float = sum(float(array.sum()) for array in model.parameters().values())
names: list[str] = list(model.state_dict())
layer: LuaObject = model.modules()["1"]
print(layer.typename, layer.weight, model(np.ones(3)), t7shell.load("y.t7", mmap=True)["a"])
lua = Runtime()
lua.require("nn").Linear(3, 2).forward(np.ones(3))
"""

WRONG = """
from t7shell import load_model, save

save({}, "x.t7", "text")
load_model(3)
load_model("x.t7").parameters()["a"].wieght
"""


@pytest.mark.slow
def test_users_files_are_checked_strictly(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(USER)
    (tmp_path / "wrong.py").write_text(WRONG)
    project = Path(t7shell.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "user.py", "wrong.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(project)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    found = [line.split(": error")[0] for line in done.stdout.splitlines() if ": error" in line]
    assert found == ["wrong.py:4", "wrong.py:5", "wrong.py:6"], done.stdout + done.stderr
