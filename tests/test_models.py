"""`t7shell.load_model`: networks called, trained, pickled and refused, against Lua and against NumPy."""

from __future__ import annotations

import multiprocessing
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import t7shell
from t7shell import LuaError, Model, Runtime, T7Error, load_model, t7file
from t7shell.t7file.modules import tensors
from tests.runtimes import runtime_fixture

NETWORK = """
require 'nn'
torch.manualSeed(3)
local net = nn.Sequential():add(nn.Linear(3, 4)):add(nn.BatchNormalization(4)):add(nn.Tanh())
   :add(nn.Sequential():add(nn.Dropout(0.5)):add(nn.Linear(4, 2)))
"""


lua = runtime_fixture()


def saved(lua: Runtime, path: Path, code: str) -> Path:
    lua.execute(f"local value {NETWORK} {code} torch.save('{path}', value or net)")
    return path


@pytest.fixture
def model(lua: Runtime, tmp_path: Path) -> Model:
    return load_model(saved(lua, tmp_path / "net.t7", "net:get(2):forward(torch.randn(5, 4))"))


def test_a_network_is_called_on_arrays(lua: Runtime, tmp_path: Path) -> None:
    path = saved(lua, tmp_path / "net.t7", "net:evaluate()")
    model = load_model(path)
    x = np.random.default_rng(1).normal(size=(5, 3))
    expected = lua.eval(f"torch.load('{path}')").forward(x)
    np.testing.assert_array_equal(model(x), expected)
    np.testing.assert_array_equal(model.forward(x.astype("f")), load_model(path)(x.astype("f").astype("d")))


def test_calls_give_new_arrays_and_forward_does_not(model: Model) -> None:
    model.eval()
    first, shared = model(np.zeros((1, 3))), model.forward(np.zeros((1, 3)))
    before = first.copy()
    model.forward(np.ones((1, 3)))
    np.testing.assert_array_equal(first, before)
    assert not np.array_equal(shared, before)


def test_threads_take_turns(model: Model) -> None:
    """Each thread has outputs of different sizes, and all accumulate into the same gradients."""
    model.eval()
    inputs = [np.random.default_rng(i).normal(size=(i + 1, 3)) for i in range(4)]
    expected = [model(x) for x in inputs]
    common = inputs[3]
    model.forward(common)
    gradient = np.ones((4, 2))

    def work(number: int) -> None:
        for _ in range(30):
            np.testing.assert_array_equal(model(inputs[number]), expected[number])
            assert model.forward(inputs[number]).shape[1] == 2
            assert len(model.parameters()) == 6
            assert str(model).startswith("nn.Sequential")

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, number) for number in range(4)]:
            done.result()
    model.zero_grad()
    model.forward(common)
    model.backward(common, gradient)
    once = {name: array.copy() for name, array in model.gradients().items()}
    model.zero_grad()
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(model.backward, common, gradient) for _ in range(8)]:
            done.result()
    for name, array in model.gradients().items():
        np.testing.assert_allclose(array, 8 * once[name], rtol=1e-12)


def test_backward_gives_gradients(lua: Runtime, tmp_path: Path) -> None:
    model = load_model(saved(lua, tmp_path / "net.t7", "net = nn.Linear(3, 2)"))
    x, g = np.arange(6.0).reshape(2, 3), np.array([[1.0, 2], [3, 4]])
    for _ in range(2):
        model.zero_grad()
        model.forward(x)
        np.testing.assert_allclose(model.backward(x, g), g @ model.parameters()["weight"])
    gradients = model.gradients()
    np.testing.assert_allclose(gradients["weight"], g.T @ x)
    np.testing.assert_allclose(gradients["bias"], g.sum(0))


def test_parameters_share_memory(model: Model) -> None:
    model.eval()
    parameters = model.parameters()
    assert list(parameters) == ["1.weight", "1.bias", "2.weight", "2.bias", "4.2.weight", "4.2.bias"]
    assert list(model.gradients()) == list(parameters)
    parameters["4.2.weight"][:] = 0
    parameters["4.2.bias"][:] = [5, 6]
    np.testing.assert_array_equal(model(np.ones((1, 3))), [[5, 6]])


def test_names_are_those_of_the_file(lua: Runtime, tmp_path: Path) -> None:
    graph = """require 'nngraph'
        local x = nn.Identity()()
        local h = nn.Tanh()(nn.Linear(3, 4)(x))
        value = nn.gModule({x}, {nn.CAddTable()({h, nn.PReLU(4)(h)})})"""
    for i, code in enumerate(("", "net:float():getParameters()", graph)):
        path = saved(lua, tmp_path / f"{i}.t7", code)
        state = load_model(path).state_dict()
        assert len(state) >= 3
        found = list(tensors(t7file.load(path)))
        assert list(state) == [tensor.name for tensor in found]
        for tensor in found:
            np.testing.assert_array_equal(state[tensor.name], tensor.array)


def test_modules_and_the_tree(model: Model) -> None:
    modules = model.modules()
    assert list(modules) == ["", "1", "2", "3", "4", "4.1", "4.2"]
    assert modules["4.2"].typename == "nn.Linear"
    assert "(1): nn.Linear(3 -> 4)" in str(model)
    assert "running_mean" in {name.split(".")[-1] for name in model.state_dict()}


def test_state_is_written_back(model: Model, tmp_path: Path) -> None:
    state = {
        name: np.full(array.shape, i + 1.0) for i, (name, array) in enumerate(model.state_dict().items())
    }
    model.load_state_dict(state)
    np.testing.assert_array_equal(model.parameters()["1.bias"], [2, 2, 2, 2])
    with pytest.raises(T7Error, match=r"no weights for '1.bias'"):
        model.load_state_dict({name: array for name, array in state.items() if name != "1.bias"})
    model.save(tmp_path / "new.t7")
    np.testing.assert_array_equal(load_model(tmp_path / "new.t7").parameters()["1.bias"], [2, 2, 2, 2])


def test_modes_and_types(model: Model) -> None:
    x = np.random.default_rng(1).normal(size=(8, 3))
    assert model.eval().float()(x).dtype == np.float32
    assert model.parameters()["1.weight"].dtype == np.float32
    assert model.double()(x).dtype == np.float64
    assert np.array_equal(model(x), model(x))
    model.train()
    assert not np.array_equal(model(x), model(x))


def test_tables_are_lists_and_dicts(lua: Runtime, tmp_path: Path) -> None:
    model = load_model(
        saved(lua, tmp_path / "n.t7", "net = nn.ParallelTable():add(nn.Linear(3, 2)):add(nn.Tanh())")
    )
    a, b = model([np.ones(3), np.zeros((2, 2))])
    assert a.shape == (2,) and b.tolist() == [[0, 0], [0, 0]]
    back = model.backward([np.ones(3), np.zeros((2, 2))], [np.ones(2), np.ones((2, 2))])
    assert back[0].shape == (3,) and back[1].tolist() == [[1, 1], [1, 1]]


def test_the_network_of_a_checkpoint(lua: Runtime, tmp_path: Path) -> None:
    path = saved(lua, tmp_path / "c.t7", "value = {model = net, epoch = 3, state = {x = torch.ones(2)}}")
    assert len(load_model(path).parameters()) == 6
    path = saved(lua, tmp_path / "two.t7", "value = {g = net, d = net:clone(), [1] = 2}")
    with pytest.raises(T7Error, match=r"found ('d', 'g'|'g', 'd')"):
        load_model(path)
    assert len(load_model(path, key="d").parameters()) == 6
    with pytest.raises(T7Error, match="no network at the key '1'"):
        load_model(path, key="1")
    path = saved(lua, tmp_path / "none.t7", "value = {1, 2}")
    with pytest.raises(T7Error, match="found none"):
        load_model(path)
    path = saved(lua, tmp_path / "tensor.t7", "value = torch.ones(2)")
    with pytest.raises(T7Error, match=r"expected a network \(got ndarray\)"):
        load_model(path)


@pytest.mark.parametrize(
    "name", ["forward", "updateOutput", "upgrade", "read", "__tostring", "type", "extra"]
)
def test_functions_in_files_do_not_run(lua: Runtime, tmp_path: Path, name: str) -> None:
    marker = tmp_path / "ran"
    code = f"net.{name} = function() io.open('{marker}', 'w'):close() end"
    path = saved(lua, tmp_path / "evil.t7", code)
    try:
        model = load_model(path)
        str(model)
        model(np.ones((2, 3)))
    except LuaError as error:
        assert "do not run unless" in str(error) or "function from the file" in str(error)
    else:
        assert name not in ("forward", "updateOutput")
    assert not marker.exists()
    if name == "updateOutput":
        load_model(path, trusted=True)(np.ones((2, 3)))
        assert marker.exists()


def test_packages_of_classes_are_loaded(tmp_path: Path) -> None:
    code = "require 'rnn' require 'dpnn' net = nn.Sequential():add(nn.SeqLSTM(3, 2)):add(nn.Clip(-0.5, 0.5))"
    path = saved(Runtime(), tmp_path / "net.t7", code)
    assert load_model(path)(np.ones((4, 2, 3))).shape == (4, 2, 2)


def test_other_classes_are_refused(lua: Runtime, tmp_path: Path) -> None:
    lua.execute("torch.class('MyLayer', 'nn.Module') mypkg = {} torch.class('mypkg.Layer', 'nn.Module')")
    for typename in ("MyLayer", "mypkg.Layer"):
        code = f"net = nn.Sequential():add({typename}())"
        path = saved(lua, tmp_path / f"{typename}.t7", code)
        with pytest.raises(LuaError, match=f"class '{typename}' at .* is not allowed") as caught:
            load_model(path, runtime=lua)
        assert f"classes=['{typename}'] allows the class" in caught.value.__notes__[-1]
        for classes in ([typename], typename.split(".")[0]):
            assert load_model(path, classes=classes, runtime=lua).modules()["1"].typename == typename


def test_damaged_files_raise_errors_of_the_package(lua: Runtime, tmp_path: Path) -> None:
    path, draw = tmp_path / "x.t7", random.Random(5)
    whole = saved(lua, tmp_path / "net.t7", "net.type = 'mine'").read_bytes()
    path.write_bytes(whole)
    with pytest.raises(LuaError, match="Sequential: the field type is not a method"):
        load_model(path, runtime=lua)
    whole = saved(lua, tmp_path / "net.t7", "").read_bytes()
    failed = 0
    for i in range(200):
        data = bytearray(whole[: draw.randrange(len(whole))] if i % 4 == 0 else whole)
        for _ in range(2):
            if data:
                data[draw.randrange(len(data))] = draw.randrange(256)
        path.write_bytes(data)
        try:
            load_model(path, runtime=lua).state_dict()
        except T7Error:
            failed += 1
    assert failed > 50


def test_wrong_files(tmp_path: Path, lua: Runtime) -> None:
    path = tmp_path / "x.t7"
    with pytest.raises(FileNotFoundError):
        load_model(path)
    path.write_text("hello there")
    with pytest.raises(T7Error, match="not a"):
        load_model(path)
    whole = saved(lua, tmp_path / "net.t7", "").read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(LuaError, match="at byte"):
        load_model(path)


def test_ascii_files_and_networks_of_a_gpu(lua: Runtime, tmp_path: Path) -> None:
    path = tmp_path / "ascii.t7"
    lua.execute(f"{NETWORK} torch.save('{path}', net, 'ascii')")
    assert len(load_model(path).parameters()) == 6
    path = tmp_path / "gpu.t7"
    lua.execute(f"require 'cunn' {NETWORK} torch.save('{path}', net:cuda())")
    model = load_model(path).eval()
    assert model(np.ones((2, 3))).dtype == np.float32


def test_errors_of_the_network(model: Model) -> None:
    with pytest.raises(LuaError, match="Linear"):
        model(np.ones((2, 7)))
    with pytest.raises(TypeError, match="expected a module of nn"):
        Model(3)  # type: ignore[arg-type]


def _apply(model: Model, x: np.ndarray) -> np.ndarray:
    result: np.ndarray = model(x)
    return result


def test_models_and_functions_are_pickled(lua: Runtime, model: Model) -> None:
    x = np.ones((2, 3))
    expected = model.eval()(x)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy(x), expected)
    copy.parameters()["1.weight"][:] = 0
    np.testing.assert_array_equal(model(x), expected)
    lua.execute("local k = 3; function scaled(x) return nn.MulConstant(k):forward(x) end")
    function = pickle.loads(pickle.dumps(lua.globals["scaled"]))
    np.testing.assert_array_equal(function(x), 3 * x)
    table = pickle.loads(pickle.dumps(lua.eval("{1, {x = 2}}")))
    assert table.to_list() == [1, {"x": 2}]
    with pytest.raises(LuaError, match="nwritable"):
        pickle.dumps(lua.eval("coroutine.wrap(print)"))


def test_other_processes_use_a_model(model: Model) -> None:
    x = np.ones((2, 3))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        results = pool.starmap(_apply, [(model.eval(), x), (model, 2 * x)])
    np.testing.assert_array_equal(results[0], model(x))
    np.testing.assert_array_equal(results[1], model(2 * x))


def test_nested_lists_are_tensors(lua: Runtime, model: Model) -> None:
    rows = [[1.0, 2.0, 3.0], (4, 5, 6)]
    np.testing.assert_array_equal(model.eval()(rows), model(np.array(rows)))
    np.testing.assert_array_equal(model.module(rows), model(np.array(rows)))
    add = Model(lua.eval("nn.CAddTable()"))
    np.testing.assert_array_equal(add([np.ones(2), [1.0, 2.0]]), [2, 3])
    with pytest.raises(ValueError, match="input: the lists of a nested list must have one length"):
        model([[1.0], [2.0, 3.0]])


def test_networks_and_values_of_lua_are_saved(lua: Runtime, model: Model, tmp_path: Path) -> None:
    x = np.ones((1, 3))
    t7shell.save(model.eval(), tmp_path / "copy.t7")
    np.testing.assert_array_equal(load_model(tmp_path / "copy.t7")(x), model(x))
    t7shell.save(model.module, tmp_path / "copy.txt", "ascii")
    assert (tmp_path / "copy.txt").read_bytes()[:2] == b"4\n"
    np.testing.assert_array_equal(load_model(tmp_path / "copy.txt")(x), model(x))
    t7shell.save(lua.eval("{1, {x = 2}}"), tmp_path / "table.t7")
    assert t7shell.load(tmp_path / "table.t7", expected=list) == [1, {"x": 2}]
    with pytest.raises(ValueError, match="mode: expected 'binary' or 'ascii' \\(got 'text'\\)"):
        t7shell.save(model, tmp_path / "copy.t7", "text")  # type: ignore[call-overload]
    with pytest.raises(FileNotFoundError, match="nowhere"):
        t7shell.save(model, tmp_path / "nowhere" / "copy.t7")


def test_outputs_of_an_expected_type(lua: Runtime, tmp_path: Path) -> None:
    path = saved(lua, tmp_path / "pair.t7", "value = nn.ConcatTable():add(nn.Identity()):add(nn.Abs())")
    assert isinstance(load_model(path, output=list)(np.ones(2)), list)
    with pytest.raises(TypeError, match="Model: output: expected ndarray \\(got list\\)"):
        load_model(path, output=np.ndarray)(np.ones(2))
    with pytest.raises(TypeError, match="load: expected dict \\(got Object\\)"):
        t7shell.load(path, expected=dict)


def test_names_of_the_package() -> None:
    assert {"Model", "load_model", "LuaObject"} <= set(dir(t7shell))


def test_a_path_names_a_network(lua: Runtime, tmp_path: Path) -> None:
    nested = "value = {protos = {rnn = net, list = {nn.Tanh()}}, opt = {a = 1}}"
    path = saved(lua, tmp_path / "protos.t7", nested)
    assert len(load_model(path, key="protos.rnn").parameters()) == 6
    assert repr(load_model(path, key="protos.list.1")) == "nn.Tanh"
    assert repr(load_model(path, key="protos.rnn.1")) == "nn.Linear(3 -> 4)"
    for key in ("protos.none", "protos", "opt.a", "protos.rnn.99"):
        with pytest.raises(T7Error, match=r"no network at the key .*; there is .*protos\.rnn"):
            load_model(path, key=key)
    with pytest.raises(T7Error, match=r"found .*'protos\.rnn'.*; `key` names one"):
        load_model(path)
