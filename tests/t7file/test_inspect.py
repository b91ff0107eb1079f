"""`t7 inspect`: descriptions against Lua's own, sizes, shared storages, damaged files, time and memory."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from t7shell import t7file
from t7shell.t7file import Object
from t7shell.t7file.descriptions import ROWS, description
from t7shell.t7file.inspect import main as inspect
from t7shell.t7file.tree import lines, summary
from tests.nn import layer_records, module_records

Lua = Callable[[str], str]

NETWORK = """
require 'nn'
torch.manualSeed(1)
local net = nn.Sequential():add(nn.SpatialConvolution(1, 4, 3, 3)):add(nn.SpatialBatchNormalization(4))
   :add(nn.Sequential():add(nn.View(16)):add(nn.Linear(16, 3)):add(nn.Dropout(0.25))):float()
net:getParameters()
"""


@pytest.fixture
def network(lua: Lua, tmp_path: Path) -> str:
    path = str(tmp_path / "net.t7")
    lua(f"{NETWORK} torch.save('{path}', net)")
    return path


def test_a_network_is_a_tree_of_modules(network: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert inspect([network]) == 0
    shares = "(shares the storage of 1.weight)"
    assert capsys.readouterr().out.splitlines() == [
        "nn.Sequential, 99 parameters",
        "  (1): nn.SpatialConvolution(1 -> 4, 3x3), 40 parameters",
        "    weight: torch.FloatTensor 4x1x3x3 (144 bytes)",
        f"    bias: torch.FloatTensor 4 (16 bytes) {shares}",
        "  (2): nn.SpatialBatchNormalization (4D) (4), 8 parameters",
        f"    weight: torch.FloatTensor 4 (16 bytes) {shares}",
        f"    bias: torch.FloatTensor 4 (16 bytes) {shares}",
        "    running_mean: torch.FloatTensor 4 (16 bytes)",
        "    running_var: torch.FloatTensor 4 (16 bytes)",
        "  (3): nn.Sequential, 51 parameters",
        "    (1): nn.View(16)",
        "    (2): nn.Linear(16 -> 3), 51 parameters",
        f"      weight: torch.FloatTensor 3x16 (192 bytes) {shares}",
        f"      bias: torch.FloatTensor 3 (12 bytes) {shares}",
        "    (3): nn.Dropout(0.250000)",
        "99 parameters, 824 bytes in tensors",
        "not shown: 396 bytes of gradients and buffers of the last call",
    ]


def test_json_has_paths_sizes_and_fields(network: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert inspect(["--json", network]) == 0
    found = json.loads(capsys.readouterr().out)
    entries = {entry["path"]: entry for entry in found["entries"]}
    assert found["file"] == network and found["parameters"] == 99
    assert entries["3.2"]["class"] == "nn.Linear" and entries["3.2"]["parameters"] == 51
    assert entries["1"]["fields"]["kW"] == 3
    assert entries["3.2.weight"] == {
        "path": "3.2.weight",
        "depth": 3,
        "description": "torch.FloatTensor 3x16 (192 bytes)",
        "kind": "parameter",
        "type": "torch.FloatTensor",
        "shape": [3, 16],
        "elements": 48,
        "bytes": 192,
        "shares_storage_of": "1.weight",
    }
    assert entries["3.2.gradWeight"]["kind"] == "scratch"


def test_a_closed_pipe_ends_it_silently(network: str) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [sys.executable, "-m", "t7shell", "inspect", network], stdout=write_end, stderr=subprocess.PIPE
    )
    os.close(write_end)
    assert (done.stderr, done.returncode) == (b"", 1)


def test_tables_beside_a_network_are_shown(lua: Lua, tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.t7"
    lua(f"""
        {NETWORK}
        local state = {{ momentum = 0.5, dfdx = torch.zeros(99) }}
        torch.save('{path}', {{ model = net, state = state, [2] = 'x' }})
    """)
    shown = list(lines(t7file.load(path)))
    assert shown[:3] == ["table of 3", "  [2]: 'x'", "  model: nn.Sequential, 99 parameters"]
    assert "      weight: torch.FloatTensor 4x1x3x3 (144 bytes)" in shown
    at = shown.index("  state: table of 2")
    assert shown[at + 1 : at + 3] == ["    dfdx: torch.DoubleTensor 99 (792 bytes)", "    momentum: 0.5"]


def test_graphs_show_their_modules_only(lua: Lua, tmp_path: Path) -> None:
    path = tmp_path / "g.t7"
    lua(f"""
        require 'nngraph'
        local x = nn.Identity()()
        local h = nn.Linear(3, 4)(x)
        torch.save('{path}', nn.gModule({{ x }}, {{ nn.CAddTable()({{ h, nn.Tanh()(h) }}) }}))
    """)
    shown = [line.split(":")[0] for line in lines(t7file.load(path))]
    assert shown[1:7] == ["  (1)", "  (2)", "    weight", "    bias", "  (3)", "  (4)"]


def test_tensors_of_a_gpu_have_their_names(lua: Lua, tmp_path: Path) -> None:
    path = str(tmp_path / "gpu.t7")
    lua(f"""
    require 'cutorch'
    local x = torch.CudaTensor(3, 2)
    torch.save('{path}', {{ a = x, b = x:t(), c = torch.CudaLongTensor(4), d = torch.CudaStorage(3),
       e = torch.FloatTensor(2), f = torch.CudaTensor(), g = torch.CudaDoubleTensor(2),
       h = x:select(2, 1) }})""")
    kinds = {part["path"]: part["type"] for part in summary(t7file.load(path))["entries"] if "type" in part}
    assert kinds == {
        "a": "torch.CudaTensor",
        "b": "torch.CudaTensor",
        "c": "torch.CudaLongTensor",
        "d": "torch.CudaStorage",
        "e": "torch.FloatTensor",
        "f": "torch.CudaTensor",
        "g": "torch.CudaDoubleTensor",
        "h": "torch.CudaTensor",
    }
    assert all(type(value) is np.ndarray for key, value in t7file.load(path).items() if key != "d")


def test_descriptions_are_those_that_lua_prints(fresh_lua: Lua, tmp_path: Path) -> None:
    # Packages such as rnn make modules of nn print more.
    makes = [record.make for record in (*module_records.MODULES, *layer_records.LAYERS)]
    makes += [
        "SpatialConvolution(1, 2, 3, 4, 2, 1, 1, 0)",
        "SpatialConvolution(1, 2, 3, 4):noBias()",
        "SpatialFullConvolution(1, 2, 3, 3, 2, 2, 1, 1, 1, 1)",
        "VolumetricMaxPooling(2, 3, 4)",
        "VolumetricConvolution(1, 2, 3, 4, 5, 1, 1, 1, 1, 0, 2)",
        "SpatialMaxPooling(2, 3, 1, 2, 1, 1)",
    ]
    assert len(makes) > 100
    printed = fresh_lua(f"""
        {module_records.SET_UP}
        for i, make in ipairs {{ {", ".join(f"[==[{make}]==]" for make in makes)} }} do
           local code = make:find '^nn%.' and make or 'nn.' .. make
           local f = loadstring('return ' .. code)
           local fine, m = pcall(f or error)
           if fine and torch.isTypeOf(m, 'nn.Module') then
              torch.save('{tmp_path}/' .. i, m)
              io.write(i, '\\t', (tostring(m):gsub('\\n.*', '')), '\\n')
           end
        end
    """)
    rows = [line.split("\t") for line in printed.splitlines()]
    assert len(rows) > 100
    own = 0
    for index, text in rows:
        loaded = t7file.load(tmp_path / index)
        shown = description(loaded)
        if loaded.typename in ROWS:
            own += 1
            assert shown == text
        else:
            assert shown.split("(")[0] == loaded.typename
    assert own > 30


def test_keys_are_ordered_and_shared_storage_is_named(lua: Lua, tmp_path: Path) -> None:
    path = tmp_path / "x.t7"
    lua(f"x = torch.ones(4) torch.save('{path}', {{ b = 1, a = x:narrow(1, 2, 2), [true] = 3, [2] = x }})")
    assert list(lines(t7file.load(path))) == [
        "table of 4",
        "  [2]: torch.DoubleTensor 4 (32 bytes)",
        "  a: torch.DoubleTensor 2 (16 bytes) (shares the storage of 2)",
        "  b: 1",
        "  [true]: 3",
    ]


def test_nothing_of_a_file_steers_the_terminal() -> None:
    value = {"\x1b[2J": Object("nn.\x1b]0;x\x07", {"modules": {}}), "s": "\x1b[31m", "n": Object("A\nB")}
    text = "\n".join(lines(value))
    assert "\x1b" not in text and "\x07" not in text and len(text.splitlines()) == 4


@pytest.mark.slow
def test_the_output_is_bounded() -> None:
    assert len(list(lines(list(range(100000))))) == 102
    assert len(list(lines([[1]] * 100000))) < 10010
    assert len(next(iter(lines("x" * 100000)))) < 100


def test_deep_nesting_and_cycles() -> None:
    value: dict[str, Any] = {"x": np.ones(2)}
    value["me"] = value
    assert list(lines(value))[1:] == [
        "  me: table of 2 (shown above: the whole)",
        "  x: torch.DoubleTensor 2 (16 bytes)",
    ]
    for _ in range(30000):
        value = {"next": value}
    assert len(list(lines(value))) == len(summary(value)["entries"]) == 101
    json.dumps(summary(value))


def test_infinities_are_valid_json() -> None:
    text = json.dumps(
        summary({"a": float("inf"), "b": float("nan"), "m": Object("nn.X", {"output": 1, "v": -np.inf})})
    )
    assert "Infinity" not in text and "NaN" not in text.replace("'", "")


def test_fields_of_wrong_types_do_not_fail() -> None:
    for typename in (
        "nn.Linear",
        "nn.SpatialConvolution",
        "nn.SpatialMaxPooling",
        "nn.View",
        "nn.Dropout",
        "cudnn.ReLU",
        "nn.SpatialBatchNormalization",
        "nn.UpSampling",
        "nn.Normalize",
        "nn.SpatialZeroPadding",
    ):
        for junk in (None, 3, "x", [], {}, np.ones(0), Object("A"), float("nan")):
            names = (
                "output",
                "weight",
                "kW",
                "kH",
                "dW",
                "size",
                "p",
                "running_mean",
                "nInputPlane",
                "scale_factor",
            )
            list(lines(Object(typename, dict.fromkeys(names, junk))))


def test_damaged_files_end_in_one_error(
    network: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draw, whole = random.Random(3), Path(network).read_bytes()
    damaged = tmp_path / "damaged.t7"
    failed = 0
    for i in range(300):
        data = bytearray(whole[: draw.randrange(len(whole))] if i % 2 else whole)
        for _ in range(3):
            if data:
                data[draw.randrange(len(data))] = draw.randrange(256)
        damaged.write_bytes(data)
        status = inspect([str(damaged)])
        out = capsys.readouterr()
        assert status in (0, 1) and len(out.err.splitlines()) == status
        failed += status
    assert failed > 100


def test_wrong_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "README.md"
    for text, begins in (("# A title", "not a .t7 file: it begins with b'# A titl'"), ("", "it is empty")):
        other.write_text(text)
        assert inspect([str(other)]) == 1 and begins in capsys.readouterr().err
    assert inspect([]) == 2 and "arguments are required: file.t7" in capsys.readouterr().err
    assert inspect(["--foo", "x"]) == 2 and "unrecognized arguments: --foo" in capsys.readouterr().err
    assert inspect([str(tmp_path / "none.t7")]) == 1
    good = tmp_path / "good.t7"
    t7file.save([1], good)
    capsys.readouterr()
    assert inspect([str(other), str(good), str(tmp_path / "none.t7")]) == 1
    shown = capsys.readouterr()
    assert f"{good}:\ntable of 1\n" in shown.out and shown.err.count("t7 inspect: ") == 2
    assert inspect(["--help"]) == 0 and capsys.readouterr().out.startswith("usage: t7 inspect")


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="peak memory is read from /proc")
def test_a_large_file_stays_on_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "large.t7"
    modules = [
        Object(
            "nn.Linear",
            {"weight": np.empty((1000, 1000), np.float32), "gradWeight": np.empty(0, np.float32)},
        )
        for _ in range(125)
    ]
    t7file.save(Object("nn.Sequential", {"modules": modules}), path)
    assert path.stat().st_size > 500_000_000
    source = (
        "import sys, time; from t7shell.t7file.inspect import main; begun = time.perf_counter();"
        "main(sys.argv[1:]); print(time.perf_counter() - begun, end=' ');"
        "print(*[line.split()[1] for line in open('/proc/self/status') if 'VmHWM' in line])"
    )
    done = subprocess.run(
        [sys.executable, "-c", source, str(path)], capture_output=True, text=True, timeout=60
    )
    path.unlink()
    shown = done.stdout.splitlines()
    assert shown[0].endswith("125,000,000 parameters"), done.stderr
    seconds, kilobytes = map(float, shown[-1].split())
    # The bound is one second; a machine that others use may be slower.
    assert seconds < 5 and kilobytes < 200_000
