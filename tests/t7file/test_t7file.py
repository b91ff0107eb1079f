"""`t7shell.t7file`: .t7 files read and written by Python alone, against what Lua reads and writes."""

from __future__ import annotations

import io
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import t7shell
from t7shell import t7file
from t7shell.t7file import Function, Key, Object, Storage, T7FileError, model

Lua = Callable[[str], str]
GRAPHS = Path(__file__).parents[1] / "object_graphs.lua"
MODES = ["binary", "ascii"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.t7"


@pytest.mark.parametrize("mode", MODES)
def test_values_of_every_kind(lua: Lua, path: Path, mode: str) -> None:
    lua(f"""
        torch.save('{path}', {{ n = 5, x = 0.1, t = true, s = 'caf\\195\\169', b = '\\255', e = {{}},
           l = {{ 1, 'two' }}, d = {{ [2] = 'x' }}, inf = -1 / 0, big = 2 ^ 60 }}, '{mode}')
    """)
    assert t7shell.load(path) == {
        "n": 5,
        "x": 0.1,
        "t": True,
        "s": "café",
        "b": b"\xff",
        "e": {},
        "l": [1, "two"],
        "d": {2: "x"},
        "inf": -np.inf,
        "big": 2.0**60,
    }


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double"])
def test_arrays_of_every_type(lua: Lua, path: Path, mode: str, kind: str) -> None:
    dtype = t7file.model.DTYPES[kind]
    values = np.arange(100, 124).reshape(2, 3, 4).astype(dtype)
    t7shell.save([values, values.transpose(2, 0, 1), values[1:, :, ::2]], path, mode)
    printed = lua(f"""
        local t = torch.load('{path}', '{mode}')
        local sizes = table.concat(t[2]:size():totable(), 'x')
        print(torch.type(t[1]), t[1]:float():sum(), sizes, t[3]:storageOffset())
        print(t[2][4][2][3], t[3][1][2][2], torch.pointer(t[1]:storage()) == torch.pointer(t[3]:storage()))
        torch.save('{path}', t, '{mode}')
    """)
    assert printed == f"torch.{kind}Tensor\t2676\t4x2x3\t13\n123\t118\ttrue\n"
    for view in (False, True):
        first, second, third = t7shell.load(path, mmap=view)
        assert first.dtype == dtype
        np.testing.assert_array_equal(first, values)
        np.testing.assert_array_equal(second, values.transpose(2, 0, 1))
        np.testing.assert_array_equal(third, values[1:, :, ::2])
        first[1, 1, 2] = 1
        assert second[2, 1, 1] == third[0, 1, 1] == 1


@pytest.mark.parametrize("mode", MODES)
def test_lua_and_python_agree_on_random_graphs(lua: Lua, tmp_path: Path, mode: str) -> None:
    lua(f"""
        local generate = dofile('{GRAPHS}')
        -- Python does not know the form of a class that writes itself.
        local write, read = TgCustom.write, TgCustom.read
        TgCustom.write, TgCustom.read = nil, nil
        for seed = 1, 80 do torch.save('{tmp_path}/' .. seed, generate(seed), '{mode}') end
        TgCustom.write, TgCustom.read = write, read
    """)
    for seed in range(1, 81):
        value = t7file.load(tmp_path / str(seed))
        t7file.save(value, tmp_path / str(seed), mode)
    lua(f"""
        local generate, same = dofile('{GRAPHS}')
        local write, read = TgCustom.write, TgCustom.read
        TgCustom.write, TgCustom.read = nil, nil
        for seed = 1, 80 do
           local fine, why = same(generate(seed), torch.load('{tmp_path}/' .. seed, '{mode}'))
           assert(fine, seed .. ': ' .. tostring(why))
        end
        TgCustom.write, TgCustom.read = write, read
    """)


@pytest.mark.parametrize("mode", MODES)
def test_bytes_are_those_of_lua(lua: Lua, path: Path, mode: str) -> None:
    lua(f"""
        torch.save('{path}', {{ 1, -0.1, 'text', '', true, {{ {{}} }}, torch.range(1, 6):resize(2, 3),
           torch.FloatTensor{{ 0.1, 1 / 0 }}, torch.LongStorage{{ 1, 2 }}, torch.ByteTensor() }}, '{mode}')
    """)
    value = [
        1,
        -0.1,
        "text",
        "",
        True,
        [{}],
        np.arange(1.0, 7).reshape(2, 3),
        np.array([0.1, np.inf], np.float32),
        np.array([1, 2]).view(Storage),
        np.empty(0, np.uint8),
    ]
    assert t7file.dumps(value, mode) == path.read_bytes()


def test_cycles_and_shared_objects(path: Path) -> None:
    value: dict[Any, Any] = {"list": [1]}
    value["self"] = value
    value["again"] = value["list"]
    value[Key(value["list"])] = "found"
    t7file.save(value, path)
    copy = t7file.load(path)
    assert copy["self"] is copy
    assert copy["again"] is copy["list"]
    assert copy[Key(copy["list"])] == "found"


def test_objects_keep_class_and_fields(lua: Lua, path: Path) -> None:
    lua(f"""
        torch.class('TpNet')
        local net = TpNet() net.weight, net.next = torch.ones(2), net
        torch.save('{path}', net)
    """)
    net = t7file.load(path)
    assert (net.typename, net.version) == ("TpNet", 1)
    assert net.fields["next"] is net
    net.fields["weight"] *= 3
    t7file.save(Object("TpNet", {"inner": net}), path)
    printed = lua(f"n = torch.load('{path}').inner print(torch.type(n), n.next == n, n.weight[1])")
    assert printed == "TpNet\ttrue\t3\n"


@pytest.mark.parametrize("mode", MODES)
def test_a_module_of_a_device_has_a_header(lua: Lua, path: Path, mode: str) -> None:
    lua(f"require 'nn' torch.save('{path}', {{ nn.GPU(nn.Linear(2, 3), 2), 5 }}, '{mode}')")
    module, five = t7shell.load(path)
    assert (module.typename, module.fields["device"], five) == ("nn.GPU", 2, 5)
    t7shell.save([module, five], path, mode)
    printed = lua(f"local x = torch.load('{path}', '{mode}') print(x[1], x[1]:parameters()[1]:size(1), x[2])")
    assert printed == "nn.GPU(2) @ nn.Linear(2 -> 3)\t3\t5\n"
    # The first versions of this library wrote the fields alone.
    data = t7file.dumps(Object("nn.Gpu", module.fields)).replace(b"Gpu", b"GPU")
    assert t7file.loads(data).typename == "nn.GPU"


@pytest.mark.parametrize("mode", MODES)
def test_timers_have_no_fields(lua: Lua, path: Path, mode: str) -> None:
    lua(f"require 'nn' torch.save('{path}', nn.Profile(nn.Linear(3, 2), 7), '{mode}')")
    profile = t7shell.load(path)
    assert (profile.fields["timer"].typename, profile.fields["timer"].fields) == ("torch.Timer", {})
    t7shell.save(profile, path, mode)
    printed = lua(
        f"local x = torch.load('{path}', '{mode}') print(x.timer:time().real < 5, x.print_interval)"
    )
    assert printed == "true\t7\n"


def test_functions_are_data(lua: Lua, path: Path) -> None:
    lua(f"local x = torch.ones(2) torch.save('{path}', function(k) return x[1] + k end)")
    function = t7file.load(path)
    assert isinstance(function, Function)
    assert function.code.startswith(b"\x1bLJ")
    assert function.upvalues[0]["name"] == "x"
    function.upvalues[0]["value"][0] = 41
    t7file.save(function, path)
    assert lua(f"print(torch.load('{path}')(1))") == "42\n"


def test_generators(lua: Lua, path: Path) -> None:
    for mode in MODES:
        lua(f"torch.manualSeed(3) torch.save('{path}', torch._gen, '{mode}')")
        t7file.save([t7file.load(path)], path, mode)
        assert lua(f"print(torch.random(torch.load('{path}', '{mode}')[1]) == torch.random())") == "true\n"


def test_mapped_arrays_do_not_change_the_file(path: Path) -> None:
    t7file.save(np.arange(10.0), path)
    before = path.read_bytes()
    mapped = t7file.load(path, mmap=True)
    mapped[0] = 99
    assert path.read_bytes() == before
    assert not mapped.flags.owndata


def test_files_of_32_bit_machines(lua: Lua, path: Path) -> None:
    lua(f"torch.save('{path}', {{ torch.range(1, 6), torch.LongTensor{{ 7, -8 }} }}, 'b32')")
    for mode in (None, "b32"):
        values = t7file.load(path, mode)
        np.testing.assert_array_equal(values[0], np.arange(1.0, 7))
        np.testing.assert_array_equal(values[1], [7, -8])


def test_deep_nesting_needs_no_stack() -> None:
    value: dict[str, Any] = {}
    for _ in range(30000):
        value = {"next": value}
    copy, depth = t7file.loads(t7file.dumps(value)), 0
    while copy:
        copy, depth = copy["next"], depth + 1
    assert depth == 30000


TENSOR = (
    b"4\n1\n3\nV 1\n17\ntorch.FloatTensor\n1\n%s\n%s\n1\n4\n2\n3\nV 1\n18\ntorch.FloatStorage\n4\n1 2 3 4\n"
)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x05\0\0\0\x09\0\0\0", "expected 0 or 1 for a boolean, found 9"),
        (b"\x03\0\0\0\x01\0\0\0\xff\xff\xff\x7f", "number of entries"),
        (b"\x02\0\0\0\xff\xff\xff\x7f", "length of string"),
        (b"\4\0\0\0\1\0\0\0\3\0\0\0V 1\x13\0\0\0torch.DoubleStorage" + b"\x10" * 8, "size of a torch.Double"),
        (b"4\n1\n3\nV 1\n6\nTpForm\n1\n5\n", "expected fields of a TpForm"),
        (
            b"4\n1\n3\nV 1\n17\ntorch.FloatTensor\n1\n5\n1\n1\n"
            b"4\n2\n3\nV 1\n18\ntorch.FloatStorage\n4\n1 2 3 4\n",
            "ends at element 5 of 4",
        ),
        # A stride of 2^62 elements along a dimension of size 1, and 2^62 times the same element.
        (TENSOR % (b"1", b"4611686018427387904"), "are impossible"),
        (TENSOR % (b"4611686018427387904", b"0"), "are impossible"),
        (b"1\nabc\n", "expected number"),
        (b"\4\0", r"expected type of an object \(0 to 8\), found b'\\x04\\x00'$"),
        (b"0\n\n7\n", "bytes follow"),
    ],
)
def test_faults_are_named(data: bytes, words: str) -> None:
    with pytest.raises(T7FileError, match=words) as caught:
        t7file.loads(data)
    assert "at byte" in str(caught.value)


def test_damaged_files_raise_only_their_error() -> None:
    draw = random.Random(6 + int(os.environ.get("T7_FUZZ_FIRST", "1")))
    value = {"x": np.ones((3, 4)), "l": [1, "two", {"three": 3.5}], "o": Object("A", {"b": True})}
    originals = [t7file.dumps(value), t7file.dumps(value, "ascii")]
    failed = 0
    rounds = int(os.environ.get("T7_FUZZ", "3000"))
    for i in range(rounds):
        data = bytearray(originals[i % 2])
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(data))
            data[at : at + draw.randrange(3)] = bytes(draw.randrange(256) for _ in range(draw.randrange(3)))
        try:
            t7file.loads(bytes(data))
        except T7FileError:
            failed += 1
    assert failed > rounds / 2


@pytest.mark.parametrize(
    "value", [object(), np.array(["x"]), {None: 1}, {"x": {1: 2j}}, np.zeros(2, complex), 10**400]
)
def test_what_cannot_be_written_is_an_error(path: Path, value: Any) -> None:
    path.write_text("before")
    with pytest.raises(T7FileError):
        t7file.save(value, path)
    assert path.read_text() == "before"


def test_values_of_numpy(lua: Lua, path: Path) -> None:
    t7file.save(
        [
            np.float32(1.5),
            np.int64(2),
            np.bool_(True),
            np.array([True, False]),
            np.arange(3)[::-1],
            np.arange(3, dtype=">i4"),
            (1, 2),
        ],
        path,
    )
    printed = lua(f"""
        local t = torch.load('{path}')
        print(t[1], t[2], t[3], t[4]:type(), t[5][1], t[6]:type(), t[6][3], t[7][2])
    """)
    assert printed == "1.5\t2\ttrue\ttorch.ByteTensor\t2\ttorch.IntTensor\t2\t2\n"


def test_no_lua_is_loaded(path: Path) -> None:
    t7file.save([1], path)
    source = f"import sys, t7shell.t7file as f; f.load({str(path)!r}); print('lupa' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60)
    assert done.stdout == "False\n", done.stderr


def test_masked_elements_are_not_dropped(tmp_path: Path) -> None:
    with pytest.raises(T7FileError, match="masked elements"):
        t7file.save(np.ma.masked_array([1.0, 2.0], [False, True]), tmp_path / "x.t7")


def test_tensors_of_a_gpu_are_those_of_the_type_below(lua: Callable[[str], str], tmp_path: Path) -> None:
    path = tmp_path / "gpu.t7"
    tensors = "{ torch.CudaTensor(2):fill(3), torch.CudaLongTensor{7} }"
    lua(f"require 'cutorch' torch.save('{path}', {tensors})")
    first, second = t7shell.load(path)
    assert first.dtype == np.float32 and first.tolist() == [3, 3]
    assert second.dtype == np.int64 and second.tolist() == [7]


def test_lua_and_python_read_one_table_of_record_types(engine) -> None:
    tags = engine.helper("torch.io.object_format")
    assert {name: tags[name] for name in vars(model.TAG)} == vars(model.TAG)
    assert sorted(vars(model.TAG).values()) == list(range(9))
    assert sorted(model.INDEXED) == [3, 4, 7, 8]
    rows = engine.helper("torch.base.types").rows.values()
    assert {row.name: np.dtype(row.dtype) for row in rows} == model.DTYPES
    assert model.DTYPES["Char"] == np.int8
    assert engine.helper("torch.random.mersenne_twister").STATE_BYTES == model.GENERATOR_BYTES


def test_collections_of_tds(lua: Lua, path: Path) -> None:
    lua(f"""
    local tds = require 'tds'
    local v = tds.Vec{{1, 'two', torch.ones(2)}}
    local all = {{h = tds.Hash{{a = 1, v = v}}, v = v, e = tds.Vec(), c = tds.AtomicCounter()}}
    all.c:inc(7)
    torch.save('{path}', all)
    torch.save('{path}.ascii', all, 'ascii')""")
    for name in (path, f"{path}.ascii"):
        value = t7file.load(name)
        assert value["h"]["a"] == 1 and value["v"][:2] == [1, "two"] and value["v"] is value["h"]["v"]
        np.testing.assert_array_equal(value["v"][2], [1, 1])
        assert value["e"] == [] and value["c"].count == 7
    data = path.read_bytes()
    for end in range(len(data)):
        with pytest.raises(T7FileError):
            t7file.loads(data[:end])
    lua(f"b = torch.load('{path}.ascii', 'ascii')")
    back = lua("print(b.h.a, b.v[2], b.h.v[3]:sum(), #b.e, b.c:get())")
    assert back == "1\ttwo\t2\t0\t7\n"


@pytest.mark.parametrize("mode", MODES)
def test_several_objects_in_one_file(lua: Lua, path: Path, mode: str) -> None:
    lua(f"""
    local f = torch.DiskFile('{path}', 'w'):{mode}()
    local t = {{1}}
    f:writeObject(t) f:writeObject('two') f:writeObject({{t, torch.ones(2)}})
    f:close()""")
    first, second, third = t7shell.load_all(path)
    assert (first, second) == ([1], "two") and third[0] is first
    with pytest.warns(UserWarning, match=r"bytes follow \(load_all reads several objects\)"):
        assert t7shell.load(path) == [1]
    with pytest.raises(T7FileError):
        t7file.load_all(path.read_bytes()[:-1] if mode == "binary" else path.read_bytes()[:-8])


def test_bytes_and_open_files(path: Path) -> None:
    t7file.save({"a": np.arange(3.0)}, path)
    data = path.read_bytes()
    with path.open("rb") as file:
        for source in (data, bytearray(data), io.BytesIO(data), file):
            np.testing.assert_array_equal(t7shell.load(source)["a"], [0, 1, 2])
    with pytest.raises(TypeError, match="load: expected a path, bytes or an open file \\(got int\\)"):
        t7file.load(3)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="expected a file of bytes"):
        t7file.load(io.StringIO("x"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PK\3\4........", "a zip archive, as PyTorch writes models; load it with PyTorch"),
        (b"\x80\x02........", "a pickle of Python, as older PyTorch wrote models"),
        (b"version https://git-lfs.github.com/spec/v1", "a pointer of Git LFS, not the file itself"),
        (b"<!DOCTYPE html><html>", "a web page"),
        (b"\xef\xbb\xbf\r\n  <Html><head>", "a web page"),
        (b'<?xml version="1.0"?><Error>AccessDenied', "a web page"),
        (b"\xfd7zXZ\0\0\4", "compressed by xz"),
        (b"\x89PNG\r\n\x1a\n", "a picture; read it with image.load"),
        (b"\x1f\x8b\x08\0\0\0\0\0\0", "compressed by gzip; decompress it by: gunzip"),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file; open it with hdf5.open"),
    ],
)
def test_what_is_not_a_t7_file_is_said(lua: Lua, path: Path, data: bytes, words: str) -> None:
    path.write_bytes(data)
    for load in (t7file.load, t7shell.load_all, t7shell.load_model):
        for source in (path, data) if load is not t7shell.load_model else (path,):
            with pytest.raises(T7FileError, match=r"not a \.t7 file: it is") as caught:
                load(source)  # type: ignore[operator]
            assert words in str(caught.value)
    printed = lua(f"print(pcall(torch.load, '{path}'))")
    assert f"{path} is not a .t7 file: it is" in printed and words in printed
    printed = lua(f"print(pcall(torch.deserialize, io.open('{path}', 'rb'):read('*a')))")
    assert "deserialize: the string is not a .t7 file: it is" in printed and words in printed


@pytest.mark.parametrize("data", [b"hello world", b"\xff'\\\n\t\0ab", b"", b"xyz"])
def test_other_files_are_shown_alike(lua: Lua, path: Path, data: bytes) -> None:
    path.write_bytes(data)
    words = f"it begins with {data[:8]!r}" if data else "it is empty"
    if b"'" in data:
        words = r"it begins with b'\xff\'\\\n\t\x00ab'"
    else:
        with pytest.raises(T7FileError, match=re.escape(words)):
            t7file.load(path)
    assert f"is not a .t7 file: {words}" in lua(f"print(pcall(torch.load, '{path}'))")
