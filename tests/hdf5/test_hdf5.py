"""hdf5 against h5py on the same files."""

from __future__ import annotations

import ctypes
import errno
import itertools
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from t7shell import Runtime
from t7shell.host import notices

from ..conftest import Run

h5py = pytest.importorskip("h5py", reason="h5py is not installed")
disk_space = pytest.importorskip("t7shell.packages.hdf5.disk_space")

KINDS = {
    "Double": "float64", "Float": "float32", "Half": "float16",
    "Long": "int64", "Int": "int32", "Short": "int16",
    "Char": "int8", "Byte": "uint8",
}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "data.h5")


def run(source: str, **values: object) -> Runtime:
    runtime = Runtime()
    for name, value in values.items():
        runtime.globals()[name] = value
    runtime.execute("require 'hdf5' " + source)
    return runtime


@pytest.mark.parametrize("kind", KINDS)
def test_tensors_of_all_types_are_written(path: str, kind: str) -> None:
    run(
        f"""
        local f = hdf5.open(path, 'w')
        f:write('/deep/down/x', torch.range(1, 12):view(3, 4):type('torch.{kind}Tensor'):t())
        f:close()
        """,
        path=path,
    )
    with h5py.File(path) as file:
        found = file["deep/down/x"]
        assert found.dtype == KINDS[kind] and (found[:] == np.arange(1, 13).reshape(3, 4).T).all()


@pytest.mark.parametrize("dtype", ["f8", ">f4", "f2", "i8", ">i4", "i2", "i1", "u1", "u2", "u4", "bool"])
def test_arrays_of_all_types_are_read(path: str, dtype: str) -> None:
    array = (
        np.arange(24).reshape(2, 3, 4) % 2 if dtype == "bool" else np.arange(24).reshape(2, 3, 4)
    ).astype(dtype)
    with h5py.File(path, "w") as file:
        file["x"] = array
    lua = run(
        """
        local d = hdf5.open(path, 'r'):read('x')
        all, part, kind = d:all(), d:partial({2, 2}, {1, 3}, {2, 3}), d:type()
        fits = all:type() == kind and d:getTensorFactory()():type() == kind
        """,
        path=path,
    ).globals()
    assert (lua["all"] == array).all() and (lua["part"] == array[1:2, :, 1:3]).all() and lua["fits"]


INDICES = [
    ("2", np.s_[1]),
    ("-1", np.s_[-1]),
    ("{2, 3}", np.s_[1, 2]),
    ("{{}, 3}", np.s_[:, 2]),
    ("{{1, 2}, {-3, -2}, 4}", np.s_[0:2, -3:-1, 3]),
    ("{{}, {1, -1, 2}, {2, 5, 2}}", np.s_[:, 0::2, 1:5:2]),
    ("{{3}, {}, {2}}", np.s_[2:3, :, 1:2]),
    ("{'...', 2}", np.s_[..., 1]),
    ("{{2, 3}, '...', {1, -1, 3}}", np.s_[1:3, ..., ::3]),
]


@pytest.mark.parametrize(("index", "slices"), INDICES)
def test_parts_are_read_and_written(path: str, index: str, slices: object) -> None:
    array = np.arange(3 * 4 * 5.0).reshape(3, 4, 5)
    with h5py.File(path, "w") as file:
        file["x"], file["y"], file["z"] = array, array, array
    lua = run(
        f"""
        local f = hdf5.open(path)
        part = f['x'][{index}]
        f['y'][{index}] = -1
        f['z'][{index}] = part * 2
        f:close()
        """,
        path=path,
    ).globals()
    assert (lua["part"] == array[slices]).all()
    filled, doubled = array.copy(), array.copy()
    filled[slices], doubled[slices] = -1, array[slices] * 2
    with h5py.File(path) as file:
        assert (file["y"][:] == filled).all() and (file["z"][:] == doubled).all()


def test_single_elements_are_numbers(path: str) -> None:
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(6).reshape(2, 3)
    lua = run("local d = hdf5.open(path)['x'] n, m = d[{2, -1}], type(d[{1, 1}])", path=path).globals()
    assert (lua["n"], lua["m"]) == (5, "number")


def test_masks(path: str) -> None:
    array = np.arange(12.0).reshape(3, 4)
    with h5py.File(path, "w") as file:
        file["x"], file["y"] = array, array
    lua = run(
        """
        local f = hdf5.open(path)
        local mask = f['x']:all():gt(7)
        part = f['x'][mask]
        f['x'][mask] = 0
        f['y'][mask] = part + 100
        none = f['x'][mask:clone():zero()]:nElement()
        f:close()
        """,
        path=path,
    ).globals()
    assert lua["part"].tolist() == [8, 9, 10, 11] and lua["none"] == 0
    with h5py.File(path) as file:
        assert file["x"][:].sum() == 28 and file["y"][2].tolist() == [108, 109, 110, 111]


def test_masks_of_rows(path: str) -> None:
    array = np.arange(24.0).reshape(3, 4, 2)
    with h5py.File(path, "w") as file:
        file["x"], file["y"] = array, array
    lua = run(
        """
        local f = hdf5.open(path)
        local rows = torch.ByteTensor{1, 0, 1}
        part = f['x'][rows]
        none = f['x'][torch.ByteTensor{0, 0, 0}]:nElement()
        f['x'][rows] = 0
        f['y'][rows] = part * 2
        f:close()
        """,
        path=path,
    ).globals()
    assert (lua["part"] == array[[0, 2]]).all() and lua["none"] == 0
    with h5py.File(path) as file:
        assert file["x"][:].sum() == array[1].sum()
        assert (file["y"][:] == array * np.array([2, 1, 2]).reshape(3, 1, 1)).all()


def test_rows_are_added(path: str) -> None:
    run(
        """
        local f = hdf5.open(path)
        f:append('a', torch.ones(2, 3))
        f:append('a', torch.zeros(1, 3))
        local options = hdf5.DataSetOptions():setChunked(4, 3):setDeflate(9):setShuffle()
        f:append('b', torch.FloatTensor(2, 3):fill(5), options)
        f['b']:append(torch.ones(5, 3))
        f['a']:resize(5, 3)
        f:close()
        """,
        path=path,
    )
    with h5py.File(path) as file:
        assert file["a"].shape == (5, 3) and file["a"][:].sum() == 6
        b = file["b"]
        assert (
            b.shape == (7, 3) and b.chunks == (4, 3) and b.compression == "gzip" and b.compression_opts == 9
        )
        assert b.shuffle and b.dtype == np.float32 and b[6].tolist() == [1, 1, 1]


def test_nested_tables(path: str) -> None:
    lua = run(
        """
        local f = hdf5.open(path, 'w')
        f:write('/', { a = torch.ones(2), sub = { b = torch.IntTensor{1, 2}, s = 'text é', n = 2.5 } })
        f:close()
        f = hdf5.open(path, 'r')
        t = f:all()
        sub = f:read('/sub'):all()
        word = f['sub/s']:all()
        missing = f['none'] == nil
        """,
        path=path,
    ).globals()
    assert lua["t"]["sub"]["s"] == "text é" == lua["word"] and lua["t"]["sub"]["n"].item() == 2.5
    assert lua["sub"]["b"].tolist() == [1, 2] and lua["missing"]
    with h5py.File(path) as file:
        assert file["sub/s"].asstr()[()] == "text é"


# Prints whether the process has at most 60 MB more than before `small` has run once, while `work` runs.
PEAK = """
require 'hdf5'
local function peak()
   for line in io.lines('/proc/self/status') do
      local kilobytes = line:match '^VmHWM:%s*(%d+)'
      if kilobytes then return tonumber(kilobytes) end
   end
end
local function grows(small, work)
   small()
   local before = peak()
   work()
   print(peak() - before < 60000)
end
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.slow
def test_parts_of_a_large_file_take_little_memory(t7: Run, path: str) -> None:
    with h5py.File(path, "w") as file:
        x = file.create_dataset("x", (20_000, 500), "f8", chunks=(500, 500))
        for first in range(0, 20_000, 500):
            x[first : first + 500] = np.arange(first, first + 500)[:, None]
    source = f"""
    local d = hdf5.open('{path}', 'r')['x']
    local function part(first) return d[{{ {{first, first + 99}} }}]:sum() end
    grows(function() part(1) end, function()
       local sum = 0
       for first = 1, 20000, 100 do sum = sum + part(first) end
       assert(sum == 500 * 20000 * 19999 / 2)
    end)
    """
    assert t7("-e", PEAK + source).stdout == "true\n"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_growing_takes_little_memory(t7: Run, path: str) -> None:
    source = f"""
    local f = hdf5.open('{path}', 'w')
    local rows, options = torch.ones(500, 500), hdf5.DataSetOptions():setChunked(500, 500)
    local function grow() f:append('x', rows, options) end
    grows(grow, function() for _ = 2, 40 do grow() end end)
    f:close()
    """
    assert t7("-e", PEAK + source).stdout == "true\n"
    with h5py.File(path) as file:
        assert file["x"].shape == (20_000, 500) and file["x"][-1].sum() == 500


def test_sizes_that_change_elsewhere(path: str) -> None:
    lua = run(
        """
        local f = hdf5.open(path, 'w')
        f:append('x', torch.range(1, 6):resize(3, 2))
        local d, other = f['x'], f['x']
        first = d[-1]
        other:append(torch.Tensor{{7, 8}})
        last, fourth, all = d[-1], d[4], d[{}]
        other:append(torch.Tensor{{9, 10}})
        d[-1] = 0
        d[{5, 2}] = 11
        fifth, number = other[5], d[{-1, -1}]
        other:resize(1, 2)
        left = d[{}]
        rows = d[torch.ByteTensor{1}]
        _, why = pcall(function() return d[2] end)
        _, written = pcall(function() d[{2, 1}] = 5 end)
        d:close()
        _, closed = pcall(function() return d[1] end)
        """,
        path=path,
    ).globals()
    assert lua["first"].tolist() == [5, 6] and lua["last"].tolist() == [7, 8] == lua["fourth"].tolist()
    assert lua["all"].shape == (4, 2)
    assert lua["fifth"].tolist() == [0, 11] and lua["number"] == 11
    assert lua["left"].tolist() == [[1, 2]] == lua["rows"].tolist()
    assert "a position from 1 to 1, or from the end below 0 (got 2)" in lua["why"]
    assert "a position from 1 to 1, or from the end below 0 (got 2)" in lua["written"]
    assert "file must be open (got a closed one)" in lua["closed"]


def test_reads_after_the_file_is_closed(path: str) -> None:
    lua = run(
        """
        local f = hdf5.open(path, 'w')
        f:write('x', torch.ones(2, 3))
        local d = f['x']
        local _ = d[1]
        f:close()
        words = {}
        for i, key in ipairs { 1, { 1, 1 }, 9, torch.ByteTensor{1, 0} } do
           _, words[i] = pcall(function() return d[key] end)
           _, words[i + 4] = pcall(function() d[key] = 1 end)
        end
        """,
        path=path,
    ).globals()
    words = lua["words"].to_list()
    assert len(words) == 8 and all("file must be open (got a closed one)" in word for word in words)


def test_datasets_of_few_or_no_elements(path: str) -> None:
    with h5py.File(path, "w") as file:
        file["number"], file["none"] = 2.5, np.empty((0, 3))
        file["flags"] = np.array([True, False, True])
    lua = run(
        """
        local f = hdf5.open(path)
        number, empty = f['number']:all(), f['none']:all()
        part = f['none'][{ {}, 2 }]
        f['flags'][{ {2, 3} }] = torch.ByteTensor{2, 0}
        flags, flag, chosen = f['flags']:all(), f['flags'][2], f['flags'][torch.ByteTensor{1, 0, 1}]
        """,
        path=path,
    ).globals()
    assert lua["number"].tolist() == [2.5] and lua["empty"].size == 0 == lua["part"].size
    assert lua["flags"].tolist() == [1, 1, 0] and lua["flag"] == 1 and lua["chosen"].tolist() == [1, 0]


def test_files_that_a_script_leaves_open_are_whole(t7: Run, path: str) -> None:
    t7("-e", f"require 'hdf5' f = hdf5.open('{path}', 'w') f:write('x', torch.ones(3))")
    with h5py.File(path) as file:
        assert file["x"][:].tolist() == [1, 1, 1]


def test_objects_say_what_they_are(path: str) -> None:
    lua = run(
        """
        local f = hdf5.open(path, 'w')
        f:write('a/x', torch.ones(2, 3))
        local d = f['a/x']
        words = { tostring(f['a']), tostring(d), d:shape(2), d:size(-1), d:dim(), d:nElement() }
        f:close()
        closed = { tostring(f), tostring(d) }
        """,
        path=path,
    ).globals()
    assert lua["words"].to_list() == [
        "[HDF5Group /a: x]", "[HDF5DataSet /a/x: torch.DoubleTensor of size 2x3]", 3, 3, 2, 6,
    ]  # fmt: skip
    assert lua["closed"].to_list() == [f"[HDF5File: {path}, closed]", "[HDF5DataSet, closed]"]


WRONG = [
    ("hdf5.open('/no/such/folder/x', 'r')", "hdf5.open: /no/such/folder/x: No such file or directory"),
    ("hdf5.open(path, 'z')", "mode must be one of 'r', 'r+', 'w', 'w-', 'a' (got 'z')"),
    ("f:read('none')", "read: no 'none' in /"),
    ("f:write('x', torch.ones(1))", "write: 'x' exists already"),
    ("f:write('y', print)", "write: values must be tensors, tables, strings or numbers (got function)"),
    (
        "f:write('y', torch.ones(2, 2), hdf5.DataSetOptions():setChunked(1))",
        "expected chunks of 2 sizes for 'y' (got 1)",
    ),
    ("f:append('x', torch.ones(1, 4))", "append: argument 1 must be a tensor of size [nx3]"),
    ("return f['x'][4]", "a position from 1 to 2, or from the end below 0 (got 4)"),
    ("return f['x'][{1, 2, 3}]", "indices must be at most 2, one for each dimension (got 3)"),
    ("return f['x'][{{2, 1}}]", "a first position before the last"),
    ("return f['x'][torch.LongTensor(2, 3)]", "(got LongTensor [2x3])"),
    (
        "return f['x'][torch.ByteTensor(3)]",
        "mask must be a ByteTensor of size [2x3] or [2] (got ByteTensor [3])",
    ),
    ("return f['x'][{'...', '...'}]", "it cannot stand twice"),
    ("f['x'][torch.ByteTensor{1, 0}] = torch.ones(2)", "as the mask takes expected: 3 (got 2)"),
    ("f['x'][1] = torch.ones(2)", "value must be a number or a tensor of 3 elements (got DoubleTensor [2])"),
    ("f['x']:partial({1, 1})", "partial: ranges must be 2, one for each dimension (got 1)"),
    ("f['x']:resize(9, 9)", "chunked"),
    ("f:close() f:all()", "hdf5: file must be open (got a closed one)"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_wrong_calls(path: str, call: str, message: str) -> None:
    lua = run(
        f"""
        local f = hdf5.open(path, 'w')
        f:write('x', torch.ones(2, 3))
        _, why = pcall(function() {call} end)
        """,
        path=path,
    ).globals()
    assert message.lower() in lua["why"].lower()


def test_every_box_of_a_small_dataset(path: str) -> None:
    array = np.arange(12.0).reshape(3, 4)
    with h5py.File(path, "w") as file:
        file["x"] = array
    boxes = [
        (a, b, c, d)
        for a, b in itertools.combinations_with_replacement(range(1, 4), 2)
        for c, d in itertools.combinations_with_replacement(range(1, 5), 2)
    ]
    listed = ", ".join(f"{{ {{{a}, {b}}}, {{{c}, {d}}} }}" for a, b, c, d in boxes)
    lua = run(
        "local d = hdf5.open(path)['x'] "
        f"parts = {{}} for i, b in ipairs {{ {listed} }} do parts[i] = d[b] end",
        path=path,
    ).globals()
    for i, (a, b, c, d) in enumerate(boxes, 1):
        assert (lua["parts"][i] == array[a - 1 : b, c - 1 : d]).all()


def test_a_number_is_a_range_of_one(lua: Callable[[str], str], tmp_path: Path) -> None:
    program = f"""
    require 'hdf5'
    local f = hdf5.open({str(tmp_path / "a.h5")!r}, 'w')
    f:write('x', torch.range(1, 12):view(3, 4))
    local row = f:read('x'):partial(3, {{1, 4}})
    print(row:dim(), unpack(row[1]:totable()))
    local loaded = torch.deserialize(torch.serialize {{ f, 7 }})
    print(loaded[2], loaded[1]:filename() == f:filename(), pcall(loaded[1].read, loaded[1], 'x'))"""
    lines = lua(program).splitlines()
    assert lines[0] == "2\t9\t10\t11\t12"
    assert lines[1].startswith("7\ttrue\tfalse\t") and "file must be open (got a closed one)" in lines[1]


def test_new_files_get_their_name_when_they_are_closed(path: str, tmp_path: Path) -> None:
    program = f"""
    require 'hdf5'
    local f = hdf5.open('{path}', 'w')
    f:write('x', torch.ones(2))
    names = #paths.dir('{tmp_path}')
    there = paths.filep('{path}')
    again = hdf5.open('{path}', 'r'):read('x'):all():sum()
    refused = not pcall(hdf5.open, '{path}', 'w') and not pcall(hdf5.open, '{path}', 'w-')
    local g = hdf5.open('{path}', 'a')
    g:write('y', 3)
    g:close()
    early = paths.filep('{path}')
    f:close()
    f:close()
    """
    runtime = Runtime()
    runtime.execute(program)
    found = [runtime.globals[name] for name in ("there", "again", "refused", "early")]
    assert found == [False, 2, True, False]
    assert [file.name for file in tmp_path.iterdir()] == ["data.h5"]
    with h5py.File(path) as file:
        assert sorted(file) == ["x", "y"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "end", ["", "error 'stop'", "os.exit(3)", "f = nil collectgarbage() collectgarbage()"]
)
def test_new_files_that_nobody_closes(t7: Run, path: str, tmp_path: Path, end: str) -> None:
    """The end of the program closes them, whatever it is."""
    script = tmp_path / "script.lua"
    script.write_text(f"require 'hdf5' f = hdf5.open('{path}', 'w') f:write('x', torch.ones(2)) {end}")
    t7(str(script))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["data.h5", "script.lua"]
    with h5py.File(path) as file:
        assert (file["x"][:] == 1).all()


def test_a_process_that_is_killed_leaves_the_file_as_it_was(t7: Run, path: str, tmp_path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["old"] = 1
    before = Path(path).read_bytes()
    script = tmp_path / "script.lua"
    script.write_text(
        f"require 'hdf5' f = hdf5.open('{path}', 'w') f:write('x', torch.ones(2)) os.execute('kill -9 $PPID')"
    )
    t7(str(script))
    assert Path(path).read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 3
    # What is left is removed when the file is written next.
    run(f"hdf5.open('{path}', 'w'):close()")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["data.h5", "script.lua"]


@pytest.mark.filterwarnings("ignore::t7shell.host.notices.T7Warning")
@pytest.mark.parametrize("end", ["f:close()", "f = nil collectgarbage() collectgarbage()"])
def test_a_full_disk_leaves_the_file_as_it_was(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], end: str
) -> None:
    if sys.platform != "linux":
        pytest.skip("space is reserved by a call of Linux")
    run(f"f = hdf5.open('{path}', 'w') f:write('old', torch.ones(2)) f:close()")
    before = Path(path).read_bytes()

    def fallocate(_file: int, _mode: int, begin: int, size: int) -> int:
        ctypes.set_errno(errno.ENOSPC)
        return -(begin + size > 10_000_000)

    monkeypatch.setattr(disk_space, "_fallocate", lambda: fallocate)
    runtime = run(f"""
        f = hdf5.open('{path}', 'w')
        f:write('small', torch.ones(2))
        written = select(2, pcall(f.write, f, 'large', torch.ones(2e6)))
        _, closed = pcall(function() {end} end)
    """)
    full = "No space left on device"
    assert runtime.globals["written"].endswith(f": write: {full}")
    if "close" in end:
        assert runtime.globals["closed"].endswith(f": close: {path}: {full}")
    else:
        assert f"{path} is not written: {full}" in "".join(notices._given) + capfd.readouterr().err
    assert Path(path).read_bytes() == before and os.listdir(tmp_path) == ["data.h5"]


def test_space_that_is_not_used_is_freed(path: str) -> None:
    run(f"f = hdf5.open('{path}', 'w') f:write('x', torch.ones(2)) f:close()")
    run(f"f = hdf5.open('{path}', 'r+') f:write('y', torch.ones(2)) f:close()")
    assert os.stat(path).st_blocks * 512 < 50_000


def test_strings_whose_reader_never_ends(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Damaged strings of variable length make the library loop; here the reader waits for something else."""
    from t7shell.packages.hdf5 import files

    with h5py.File(path, "w") as file:
        file["s"] = ["some", "text"]
    with h5py.File(path) as file:
        assert files._texts([file["s"]]) == [[b"some", b"text"]]
        monkeypatch.setattr(files, "_plain_text", lambda dataset: threading.Event().wait())
        monkeypatch.setattr(files, "_TIMEOUT", 0.1)
        monkeypatch.setattr(files, "_PER_ELEMENT", 0)
        for read in (files.text, files.all):
            _, why = read(file if read is files.all else file["s"])
            assert why.startswith("the file is damaged: reading it took")


def test_lists_of_variable_length_after_strings(fresh_lua: Callable[[str], str], tmp_path: Path) -> None:
    """Their types are equal to Python. A damaged file whose strings had become lists ended the process."""
    with h5py.File(tmp_path / "strings.h5", "w") as file:
        file["v"] = ["some", "text"]
    with h5py.File(tmp_path / "lists.h5", "w") as file:
        lists = file.create_dataset("v", (2,), h5py.vlen_dtype("int32"))
        lists[0], lists[1] = [1, 2], [3]
    source = f"""require 'hdf5'
    print(#hdf5.open('{tmp_path}/strings.h5', 'r'):all().v)
    local lists = hdf5.open('{tmp_path}/lists.h5', 'r')
    print(pcall(lists.all, lists))"""
    count, error = fresh_lua(source).splitlines()
    assert count == "2" and "no tensor has elements of the type object" in error


def test_a_dataset_in_chunks_takes_more(lua: Callable[[str], str], tmp_path: Path) -> None:
    program = f"""
    require 'hdf5'
    local f = hdf5.open('{tmp_path}/chunks.h5', 'w')
    local o = hdf5.DataSetOptions()
    o:setChunked(2, 2)
    f:write('d', torch.ones(3, 3), o)
    f:close()
    f = hdf5.open('{tmp_path}/chunks.h5', 'r+')
    f:append('d', torch.zeros(3, 3), o)
    print(f:read('d'):all():size(1), f:read('d'):all():sum())
    local child = f:getOrCreateChild('a')
    child:write('x', torch.ones(2))
    print(torch.type(child), f:getOrCreateChild('a'):read('x'):all():sum())
    f:close()"""
    assert lua(program) == "6\t9\nhdf5.HDF5Group\t2\n"


def test_helpers_of_tests(lua: Callable[[str], str]) -> None:
    program = """
    require 'hdf5'
    local u, folder = hdf5._testUtils, nil
    u.withTmpDir(function(path)
       folder = path
       hdf5.open(path .. '/x.h5', 'w'):close()
    end)
    print(paths.dirp(folder))
    local a = {x = torch.ones(2), y = {1}}
    print(u.deepAlmostEq(a, {x = torch.ones(2):add(1e-9), y = {1}}, 1e-6))
    print((select(2, u.deepAlmostEq(a, {x = torch.zeros(2), y = {1}}, 1e-6))))
    print((select(2, u.deepAlmostEq(a, {x = torch.ones(2)}, 1e-6))), (select(2, u.deepAlmostEq(1, 'a', 1))))
    print(a.x:sum())"""
    assert lua(program).splitlines() == [
        "false",
        "true",
        "tensor values differ by 2 > 1e-06",
        "mismatching table keys\ttype mismatch",
        "2",
    ]
