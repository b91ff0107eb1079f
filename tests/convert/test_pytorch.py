"""`t7 convert net.t7 net.py` and `net.pt`: the class, its parameters, and what is written without PyTorch."""

from __future__ import annotations

import ast
import pickletools
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from t7shell.convert import ConvertError, Options, pytorch_source, pytorch_state
from t7shell.convert.command import main
from t7shell.convert.network import trace
from t7shell.convert.pytorch_expressions import literal
from t7shell.convert.pytorch_source import PyTorchModule
from t7shell.t7file import Object
from tests.convert.networks import LENET


@pytest.fixture
def lenet(save_network, tmp_path):
    path = tmp_path / "le-net.t7"
    save_network(LENET, path)
    return path


@pytest.fixture
def no_torch(monkeypatch):
    """PyTorch cannot be imported."""
    monkeypatch.setitem(sys.modules, "torch", None)


PROGRAM = """
import sys
import numpy, torch
from lenet import Lenet
network = Lenet()
network.load_state_dict(torch.load('lenet.pt', weights_only=True))
network.eval()
with torch.no_grad():
    numpy.save('y.npy', network(torch.from_numpy(numpy.load('x.npy'))).numpy())
"""


def test_class_and_parameters_without_t7(lenet, lua, tmp_path):
    pytest.importorskip("torch")
    for suffix in ("py", "pt"):
        assert main([str(lenet), str(tmp_path / f"lenet.{suffix}"), "--input", "1x1x32x32"]) == 0
    x = np.random.default_rng(5).standard_normal((4, 1, 32, 32)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, check=True)
    lua(
        f"require 'nn'; local npy = require 'npy4th'\n"
        f"local net = torch.load('{lenet}'):float(); net:evaluate()\n"
        f"npy.savenpy('{tmp_path}/t7.npy', net:forward(npy.loadnpy('{tmp_path}/x.npy')))"
    )
    expected = np.load(tmp_path / "t7.npy")
    assert np.abs(np.load(tmp_path / "y.npy") - expected).max() < 1e-5 * np.abs(expected).max()


def test_source(lenet, tmp_path, no_torch, capfd):
    target = tmp_path / "le-net.py"
    assert main([str(lenet), str(target), "--input", "1x1x32x32"]) == 0
    assert capfd.readouterr().out == f"{target}: class LeNet; {pytorch_source.UNCHECKED}\n"
    source = target.read_text()
    assert "self.conv2d_4 = nn.Conv2d(6, 16, 5)\n" in source
    assert "x = F.max_pool2d(x, 2, 2)  # 3: SpatialMaxPooling\n" in source
    assert 'torch.load("le-net.pt", weights_only=True)' in source
    (made,) = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    assert made.name == "LeNet"


def test_state_names_only_tensors(lenet, tmp_path, no_torch, capfd):
    target = tmp_path / "net.pt"
    assert main([str(lenet), str(target), "--input", "1x1x32x32"]) == 0
    assert "8 tensors" in capfd.readouterr().out
    with zipfile.ZipFile(target) as archive:
        classes = {
            argument
            for opcode, argument, _ in pickletools.genops(archive.read("archive/data.pkl"))
            if opcode.name == "GLOBAL"
        }
        assert len(archive.read("archive/data/4")) == 120 * 400 * 4
    assert classes == {"collections OrderedDict", "torch._utils _rebuild_tensor_v2", "torch FloatStorage"}


def test_state_of_all_types(tmp_path):
    torch = pytest.importorskip("torch")
    random = np.random.default_rng(1)
    state = {
        dtype: (random.standard_normal((2, 3, 4)) * 10).astype(dtype)
        for dtype in ("float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8")
    }
    state |= {"empty": np.zeros((0, 3), np.float32), "number": np.asarray(7), "turned": state["int64"].T}
    pytorch_state.save(state, str(tmp_path / "state.pt"))
    found = torch.load(tmp_path / "state.pt", weights_only=True)
    assert list(found) == list(state)
    for name, array in state.items():
        assert found[name].numpy().dtype == array.dtype
        assert np.array_equal(found[name].numpy(), array)


def test_state_without_the_time_of_writing(tmp_path):
    pytorch_state.save({"weight": np.ones(3)}, str(tmp_path / "state.pt"))
    with zipfile.ZipFile(tmp_path / "state.pt") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_half(lenet, tmp_path):
    torch = pytest.importorskip("torch")
    target = tmp_path / "net.pt"
    assert main([str(lenet), str(target), "--input", "1x1x32x32", "--half"]) == 0
    assert {x.dtype for x in torch.load(target, weights_only=True).values()} == {torch.float16}


def test_a_difference_leaves_no_file(lenet, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(
        pytorch_source, "outputs_of", lambda path, graph, inputs: [np.zeros((3, 10), np.float32)]
    )
    for suffix in ("py", "pt"):
        assert main([str(lenet), str(tmp_path / f"net.{suffix}"), "--input", "1x1x32x32"]) == 1
    assert sorted(tmp_path.iterdir()) == [lenet]


def test_names_of_files_are_no_code(save_network, tmp_path, no_torch):
    path = tmp_path / 'a"""\nimport os\n"""b.t7'
    save_network("nn.Linear(3, 2)", path)
    target = tmp_path / '1"x\\.py'
    pytorch_source.write(str(path), str(target), Options())
    tree = ast.parse(target.read_text())
    assert [node.names[0].name for node in tree.body if isinstance(node, ast.Import)] == [
        "torch",
        "torch.nn.functional",
    ]
    assert [node.name for node in tree.body if isinstance(node, ast.ClassDef)] == ["Network1X"]


@pytest.mark.parametrize("value", ["os.system('x')", None, True, [1, "a"]])
def test_only_numbers_become_literals(value):
    with pytest.raises(ConvertError, match="expected a number"):
        literal(value)


def test_fields_are_no_code():
    network = Object("nn.ELU", {"alpha": "0)\nimport os"})
    with pytest.raises(ConvertError, match=r"nn\.ELU: could not convert"):
        PyTorchModule(trace(network, [(1, 3)]), "a.t7", "a.py")


def test_networks_without_parameters(save_network, tmp_path, no_torch):
    path = tmp_path / "net.t7"
    save_network("nn.Tanh()", path)
    with pytest.raises(ConvertError, match="no parameters"):
        pytorch_state.write(str(path), str(tmp_path / "net.pt"), Options(((1, 3),)))
    pytorch_source.write(str(path), str(tmp_path / "net.py"), Options(((1, 3),)))
    assert "torch.tanh(x)" in (tmp_path / "net.py").read_text()
