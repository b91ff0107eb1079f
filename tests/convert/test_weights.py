"""`t7 convert` to and from safetensors, npz and initializers of ONNX; damaged files leave nothing."""

from __future__ import annotations

import json
import random
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from t7shell import t7file
from t7shell.convert.command import main as convert
from t7shell.t7file import Object

Lua = Callable[[str], str]

NETWORK = """
require 'nn'
local net = nn.Sequential():add(nn.Linear(2, 3))
   :add(nn.ConcatTable():add(nn.BatchNormalization(3)):add(nn.PReLU(3)))
"""
NAMES = [
    "1.weight",
    "1.bias",
    "2.1.weight",
    "2.1.bias",
    "2.1.running_mean",
    "2.1.running_var",
    "2.2.weight",
]


@pytest.fixture
def network(lua: Lua, tmp_path: Path) -> Path:
    path = tmp_path / "net.t7"
    lua(f"""
        {NETWORK}
        net:float():getParameters()
        net:forward(torch.randn(4, 2):float())
        net:get(1).weight:copy(torch.range(1, 6))
        torch.save('{path}', net)
    """)
    return path


def safetensors(header: Any, data: bytes = b"") -> bytes:
    """A file as the specification of the format describes it."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def row(dtype: str, shape: list[int], begin: int, end: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def test_a_network_becomes_safetensors(network: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.safetensors"
    assert convert([str(network), str(out)]) == 0
    raw = out.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    assert length % 8 == 0
    header = json.loads(raw[8 : 8 + length])
    metadata = header.pop("__metadata__")
    assert list(header) == NAMES
    begin, end = header["1.weight"]["data_offsets"]
    assert header["1.weight"] == row("F32", [3, 2], begin, end) and end - begin == 24
    values = np.frombuffer(raw, "<f4", 6, 8 + length + begin)
    assert values.tolist() == [1, 2, 3, 4, 5, 6]
    described = {
        entry["path"]: entry["description"] for entry in json.loads(metadata["network"])["entries"]
    }
    assert described["1"] == "nn.Linear(2 -> 3)"


def test_other_readers_of_safetensors_agree(network: Path, tmp_path: Path) -> None:
    numpy_reader = pytest.importorskip("safetensors.numpy")
    out = tmp_path / "out.safetensors"
    convert([str(network), str(out)])
    found = numpy_reader.load_file(out)
    assert sorted(found) == sorted(NAMES)
    np.testing.assert_array_equal(found["1.weight"], np.arange(1, 7, dtype="f").reshape(3, 2))


def test_a_network_becomes_an_archive(network: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    assert convert([str(network), str(out)]) == 0
    with np.load(out, allow_pickle=False) as archive:
        assert archive.files == [*NAMES, "__network__"]
        np.testing.assert_array_equal(archive["1.weight"], np.arange(1, 7, dtype="f").reshape(3, 2))
        assert json.loads(str(archive["__network__"]))["parameters"] == 18


@pytest.mark.parametrize("suffix", [".npz", ".safetensors"])
def test_weights_go_out_and_back_in(lua: Lua, network: Path, tmp_path: Path, suffix: str) -> None:
    weights, table, back = tmp_path / f"w{suffix}", tmp_path / "table.t7", tmp_path / "back.t7"
    assert convert([str(network), str(weights)]) == 0
    assert convert([str(weights), str(table)]) == 0
    assert list(t7file.load(table)) == NAMES
    other = tmp_path / "other.t7"
    lua(f"{NETWORK} torch.save('{other}', net:float())")
    assert convert([str(weights), str(back), "--into", str(other)]) == 0
    printed = lua(f"""
        require 'nn'
        local a, b = torch.load('{network}'), torch.load('{back}')
        a:evaluate() b:evaluate()
        local x = torch.randn(5, 2):float()
        local y, z = a:forward(x), b:forward(x)
        print((y[1] - z[1]):abs():max(), (y[2] - z[2]):abs():max(), torch.type(b:get(2)))
    """)
    assert printed == "0\t0\tnn.ConcatTable\n"


def test_weights_go_into_networks_of_a_gpu(lua: Lua, tmp_path: Path) -> None:
    network, weights, back = tmp_path / "gpu.t7", tmp_path / "w.npz", tmp_path / "back.t7"
    lua(f"require 'cudnn' local net = nn.Sequential():add(cudnn.ReLU()):add(nn.Linear(2, 2)):cuda() "
        f"torch.save('{network}', net)")
    assert convert([str(network), str(weights)]) == 0
    assert convert([str(weights), str(back), "--into", str(network)]) == 0
    printed = lua(f"""
        local a, b = torch.load('{network}'), torch.load('{back}')
        local x = torch.randn(3, 2)
        print(b:type(), (a:forward(x:cuda()):float() - b:forward(x:float())):abs():max())
    """)
    assert printed == "torch.FloatTensor\t0\n"


def test_into_names_what_does_not_fit(
    network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = tmp_path / "good.npz"
    convert([str(network), str(good)])
    with np.load(good) as archive:
        tensors = {name: archive[name] for name in NAMES}
    out = tmp_path / "out.t7"
    for change, words in (
        ({"1.bias": None}, "no weights for '1.bias'"),
        ({"9.bias": np.ones(3)}, "no tensor '9.bias'"),
        ({"1.bias": np.ones(4)}, "'1.bias' has shape (3,) (got (4,))"),
        ({"1.bias": np.ones(3, complex)}, "which no tensor has"),
    ):
        changed = {name: array for name, array in {**tensors, **change}.items() if array is not None}
        np.savez(tmp_path / "bad.npz", **changed)
        assert convert([str(tmp_path / "bad.npz"), str(out), "--into", str(network)]) == 1
        assert words in capsys.readouterr().err
        assert not out.exists()


def test_every_type_of_tensor(tmp_path: Path) -> None:
    source, archive, back = tmp_path / "a.t7", tmp_path / "a.safetensors", tmp_path / "b.t7"
    values = {kind: np.arange(-3, 3).astype(dtype) for kind, dtype in t7file.model.DTYPES.items()}
    values |= {
        "empty": np.empty(0),
        "turned": np.arange(6.0).reshape(2, 3).T,
        "nan": np.array([np.nan, -np.inf]),
    }
    t7file.save(values, source)
    assert convert([str(source), str(archive)]) == 0
    assert convert([str(archive), str(back)]) == 0
    found = t7file.load(back)
    assert found.keys() == values.keys()
    for name, array in values.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def test_half_the_bytes(network: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    assert convert(["--half", str(network), str(out)]) == 0
    with np.load(out) as archive:
        assert archive["1.weight"].dtype == np.float16 and archive["1.weight"][2, 1] == 6


def test_bfloat16_is_widened(tmp_path: Path) -> None:
    # 1.5, -2 and 3.140625 as the upper halves of floats.
    bits = struct.pack("<3H", 0x3FC0, 0xC000, 0x4049)
    path, out = tmp_path / "b.safetensors", tmp_path / "b.t7"
    header = {"x": row("BF16", [3], 0, 6), "n": row("U16", [1], 6, 8), "t": row("BOOL", [2], 8, 10)}
    path.write_bytes(safetensors(header, bits + b"\xff\xff" + b"\1\0"))
    assert convert([str(path), str(out)]) == 0
    found = t7file.load(out)
    assert found["x"].dtype == np.float32 and found["x"].tolist() == [1.5, -2, 3.140625]
    assert found["n"].dtype == np.int32 and found["n"].tolist() == [65535]
    assert found["t"].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "has 0 bytes"),
        (b"\xff" * 20, "header of"),
        (safetensors(b"[1]"), "not an object"),
        (safetensors(b"{"), "not a safetensors file"),
        (safetensors(b'{"a": 1, "a": 2}'), "twice"),
        (safetensors(b"[" * 100000), "not a safetensors file"),
        (safetensors({"x": row("F32", [2], 0, 8)}, b"\0" * 4), "ends at byte 8 of 4"),
        (safetensors({"x": row("F32", [2], 0, 4)}, b"\0" * 4), "has 4 bytes"),
        (safetensors({"x": row("F32", [2], 4, 12)}, b"\0" * 12), "begins at byte 4"),
        (
            safetensors({"x": row("F32", [1], 0, 4), "y": row("F32", [1], 0, 4)}, b"\0" * 4),
            "begins at byte 0",
        ),
        (safetensors({"x": row("F32", [1], 0, 4)}, b"\0" * 9), "5 bytes follow"),
        (safetensors({"x": row("F32", [2**40, 2**40], 0, 4)}, b"\0" * 4), "has 4 bytes"),
        (safetensors({"x": row("F8_E4M3", [1], 0, 1)}, b"\0"), "F8_E4M3"),
        (safetensors({"x": row("F32", [-1], 0, 4)}, b"\0" * 4), "lacks a dtype"),
        (safetensors({"x": 3}), "lacks a dtype"),
        (safetensors({"x": {"dtype": [], "shape": [], "data_offsets": [0, 0]}}), "elements of"),
        (safetensors({"x": row("U8", [1] * 70, 0, 1)}, b"\0"), "70 dimensions"),
    ],
)
def test_wrong_safetensors_are_one_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes, words: str
) -> None:
    path, out = tmp_path / "x.safetensors", tmp_path / "x.t7"
    path.write_bytes(data)
    assert convert([str(path), str(out)]) == 1
    error = capsys.readouterr().err
    assert words in error and len(error.splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".npz", ".compressed.npz", ".safetensors", ".t7"])
def test_damaged_files_are_one_error_and_leave_nothing(
    network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    draw = random.Random(7)
    whole = network
    if suffix != ".t7":
        whole = tmp_path / f"whole{suffix}"
        convert([str(network), str(whole)])
    if suffix == ".compressed.npz":
        with np.load(whole) as archive:
            arrays = dict(archive)
        np.savez_compressed(whole, **arrays)
    data = whole.read_bytes()
    folder = tmp_path / "work"
    folder.mkdir()
    source = folder / f"damaged{suffix}"
    target = folder / ("out.safetensors" if suffix == ".t7" else "out.t7")
    failed = 0
    for i in range(200):
        damaged = bytearray(data[: draw.randrange(len(data))] if i % 2 else data)
        for _ in range(4):
            if damaged:
                damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        source.write_bytes(damaged)
        status = convert([str(source), str(target)])
        errors = capsys.readouterr().err.splitlines()
        assert status in (0, 1) and len(errors) == status
        assert target.exists() == (status == 0)
        target.unlink(missing_ok=True)
        assert list(folder.iterdir()) == [source]
        failed += status
    assert failed > 50


def test_a_header_that_is_no_literal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = b"{'descr': '<f8', 'shape': (2, 3,\n"
    path = tmp_path / "damaged.npz"
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + bytes(48))
    assert convert([str(path), str(tmp_path / "out.t7")]) == 1
    assert "damaged.npz: not a NumPy archive: " in capsys.readouterr().err


def test_a_full_disk_leaves_no_file(
    network: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from t7shell.convert import safetensors as module

    def full(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    out = tmp_path / "out.safetensors"
    out.write_text("before")
    monkeypatch.setattr(module.np, "ascontiguousarray", full)
    assert convert([str(network), str(out)]) == 1
    assert "No space left" in capsys.readouterr().err
    assert out.read_text() == "before" and sorted(tmp_path.iterdir()) == [network, out]


@pytest.mark.parametrize("name", ["../../x", "/etc/y", "a\\b", "a\0b"])
def test_names_do_not_leave_the_archive(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "a.t7", tmp_path / "a.npz"
    t7file.save({name: np.ones(2)}, source)
    assert convert([str(source), str(out)]) == 1 and not out.exists()
    assert "cannot be a name in an archive" in capsys.readouterr().err


def test_copies_that_share_weights_are_written_once(tmp_path: Path) -> None:
    weight = np.arange(6.0).reshape(2, 3)
    layer = Object("nn.Linear", {"weight": weight, "gradWeight": np.zeros((2, 3)), "output": np.ones(9)})
    clone = Object("nn.Linear", {"weight": weight[:], "gradWeight": np.zeros((2, 3))})
    source, out = tmp_path / "a.t7", tmp_path / "a.npz"
    t7file.save({"net": Object("nn.Sequential", {"modules": [layer, clone]}), "best": layer}, source)
    assert convert([str(source), str(out)]) == 0
    with np.load(out) as archive:
        assert archive.files == ["best.weight", "__network__"]


def test_initializers_of_onnx(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    onnx = pytest.importorskip("onnx")
    from onnx import helper, numpy_helper

    weight = numpy_helper.from_array(np.arange(6, dtype="f").reshape(2, 3), "w")
    low = helper.make_tensor("b", onnx.TensorProto.BFLOAT16, [2], [1.5, -2.0])
    graph = helper.make_graph([], "g", [], [], [weight, low])
    source, out = tmp_path / "m.onnx", tmp_path / "m.t7"
    source.write_bytes(helper.make_model(graph).SerializeToString())
    assert convert([str(source), str(out)]) == 0
    found = t7file.load(out)
    np.testing.assert_array_equal(found["w"], np.arange(6).reshape(2, 3))
    assert found["b"].dtype == np.float32 and found["b"].tolist() == [1.5, -2]
    out.unlink()
    for damage in (b"", b"\xff" * 50, source.read_bytes()[:40]):
        source.write_bytes(damage)
        capsys.readouterr()
        assert convert([str(source), str(out)]) == 1
        assert len(capsys.readouterr().err.splitlines()) == 1 and not out.exists()


def test_wrong_words(network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "a.npz")
    for words, status, expected in (
        (["a.t7", "b.foo"], 2, "expected one .t7 file and one of another format (got a.t7 b.foo)"),
        ([], 2, "the following arguments are required: from, to"),
        (["--input", "1x0", "a.t7", out], 2, "argument --input: expected sizes such as 1x3x224x224 (got"),
        (["--into"], 2, "argument --into: expected one argument"),
        (["--foo", "a.t7", out], 2, "unrecognized arguments: --foo"),
        (["--into", str(network), str(network), out], 2, "--into: the file that is written must be"),
        (["none.t7", out], 1, "No such file"),
        ([str(network), str(tmp_path / "no" / "a.npz")], 1, "No such file"),
    ):
        assert convert(words) == status
        assert expected in capsys.readouterr().err
    assert convert(["--help"]) == 0 and ".safetensors" in capsys.readouterr().out


def test_a_file_without_tensors_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    t7file.save({"a": 1}, tmp_path / "a.t7")
    assert convert([str(tmp_path / "a.t7"), str(tmp_path / "a.npz")]) == 1
    assert "no tensors in this file" in capsys.readouterr().err


@pytest.mark.slow
def test_large_networks_take_as_long_as_their_bytes(tmp_path: Path) -> None:
    layers = [
        Object("nn.Linear", {"weight": np.ones((1000, 1000), "f"), "output": np.empty(0)})
        for _ in range(125)
    ]
    source, copy, out = tmp_path / "a.t7", tmp_path / "copy", tmp_path / "a.safetensors"
    t7file.save(Object("nn.Sequential", {"modules": layers}), source)
    ratios = []
    for _ in range(3):
        begun = time.perf_counter()
        copy.write_bytes(source.read_bytes())
        copied = time.perf_counter()
        assert convert([str(source), str(out)]) == 0
        ratios.append((time.perf_counter() - copied) / (copied - begun))
        if ratios[-1] < 2:
            return
    pytest.fail(f"a conversion takes {min(ratios):.1f} times as long as a copy")


def test_a_path_names_a_part(network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nested = tmp_path / "nested.net"
    t7file.save({"protos": {"rnn": t7file.load(network), "list": [1]}}, nested)
    assert convert([str(nested), str(tmp_path / "x.npz"), "--key", "protos.rnn"]) == 0
    with np.load(tmp_path / "x.npz") as archive:
        assert sorted(archive.files) == sorted([*NAMES, "__network__"])
    assert convert([str(nested), str(tmp_path / "x.safetensors"), "--key", "protos.rnn.2"]) == 0
    assert "1.running_var" in read_names(tmp_path / "x.safetensors")
    assert convert([str(nested), str(tmp_path / "x.npz"), "--key", "protos.none"]) == 1
    assert "nothing at 'protos.none'; it has protos.rnn, protos.rnn.1" in capsys.readouterr().err
    (tmp_path / "x.pth").write_bytes(b"PK\3\4........")
    assert convert([str(tmp_path / "x.pth"), str(tmp_path / "x.npz")]) == 1
    assert "not a .t7 file: it is a zip archive, as PyTorch writes models" in capsys.readouterr().err


def read_names(path: Path) -> list[str]:
    data = path.read_bytes()
    return list(json.loads(data[8 : 8 + struct.unpack("<Q", data[:8])[0]]))


def test_batch_normalization_of_version_1_has_a_variance(network: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.t7"
    value = t7file.load(network)
    norm = value.modules[1].modules[0]
    variance = norm.fields.pop("running_var").copy()
    norm.fields["running_std"] = ((variance + norm.fields["eps"]) ** -0.5).astype(np.float32)
    norm.version = 1
    t7file.save(value, old)
    assert convert([str(old), str(tmp_path / "old.npz")]) == 0
    with np.load(tmp_path / "old.npz") as archive:
        assert sorted(archive.files) == sorted([*NAMES, "__network__"])
        np.testing.assert_allclose(archive["2.1.running_var"], variance, rtol=1e-5)
    # Both ways: weights of the new one into the old one, and of the old one into the new one.
    for weights, into in ((network, old), (old, network)):
        assert convert([str(weights), str(tmp_path / "w.safetensors")]) == 0
        assert convert([str(tmp_path / "w.safetensors"), str(tmp_path / "out.t7"), "--into", str(into)]) == 0
        made = t7file.load(tmp_path / "out.t7").modules[1].modules[0]
        np.testing.assert_allclose(made.running_var, variance, rtol=1e-5)
        assert "running_std" not in made.fields


@pytest.mark.parametrize(
    ("net", "inputs", "words"),
    [
        ("nn.SpatialConvolution(3, 4, 5, 5)", ["1x1x6x6"], "Conv of 1x1x6x6"),
        ("nn.SpatialConvolution(3, 4, 5, 5)", ["7"], "expected an input of 4 dimensions (got 7)"),
        ("nn.SpatialConvolution(3, 4, 5, 5)", ["1x3x6x6", "1x2"], "expected one input (got a table of 2)"),
        ("nn.ParallelTable():add(nn.Linear(2, 3))", ["1x5"], "expected a table of inputs (got one of 1x5)"),
    ],
)
def test_wrong_inputs_are_told_in_sizes_of_the_user(
    lua: Lua, tmp_path: Path, capsys: pytest.CaptureFixture[str], net: str, inputs: list[str], words: str
) -> None:
    lua(f"require 'nn' torch.save('{tmp_path}/x.t7', nn.Sequential():add({net}))")
    arguments = [word for size in inputs for word in ("--input", size)]
    assert convert([f"{tmp_path}/x.t7", f"{tmp_path}/x.py", *arguments]) == 1
    assert words in capsys.readouterr().err
