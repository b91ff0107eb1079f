"""Bits that come from elsewhere and are no number to LuaJIT: they must not become other values.

LuaJIT keeps nil, booleans and pointers in NaNs with a sign and a payload, and reads numbers by FFI as they
are. Each program runs in a separate process: a wrong one may end in a segmentation fault.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.fork_server import run_t7

# As LuaJIT has them: nil, false, true, a string, a table, a thread somewhere; and NaNs that are numbers,
# some of which are none any more when their sign is changed or they are calculated with.
DOUBLES = [
    *(0xFFFFFFFFFFFFFFFF, 0xFFFF000000000000, 0xFFFE800000000000),
    *(0xFFFD800000001234, 0xFFFA000000001234, 0xFFFC800000001234),
    *(0xFFF9000000000000, 0xFFF8000000000000, 0x7FF8000000000000),
    *(0x7FFD800000001234, 0xFFF5800000001234, 0x7FF0000000000001, 0xFFF0000000000001, 0x7FF8000000000001),
]
FLOATS = [0xFFFFFFFF, 0xFFD80012, 0xFF880001, 0xFFC80000, 0xFFC00000, 0x7FC00000, 0x7FEC0000, 0xFFA00000]
HALVES = [0xFFFF, 0xFF01, 0xFC01, 0xFE00, 0x7E00, 0x7F01, 0x7C01]
ALL = {
    "Double": np.array(DOUBLES, "u8").view("f8"),
    "Float": np.array(FLOATS, "u4").view("f4"),
    "Half": np.array(HALVES, "u2").view("f2"),
}

# How many elements of a storage are not nan, as numbers; compiled and interpreted.
COUNT = """
local function is_nan(v) return type(v) == 'number' and v ~= v end
local function wrong(s)
   local n = 0
   for i = 1, #s do
      if not (is_nan(s[i]) and is_nan(-s[i]) and is_nan(s[i] * 1) and is_nan(-(s[i] + 1))) then n = n + 1 end
   end
   return n
end
"""


def _run(program: str, folder: Path) -> str:
    script = folder / "fused.lua"
    script.write_bytes(program.encode("latin-1"))
    result = run_t7(str(script), cwd=folder)
    assert result.returncode == 0, (result.returncode, result.stderr)
    return result.stdout


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["Double", "Float"])
@pytest.mark.parametrize("order", ["little", "big"])
def test_bytes_of_files(kind: str, order: str, tmp_path: Path) -> None:
    """Read one by one, as a storage, into one, and printed; with the start of an element at the end."""
    elements = ALL[kind]
    data = (elements.byteswap() if order == "big" else elements).tobytes() + b"\xff\xff\xff"
    (tmp_path / "data").write_bytes(data)
    program = f"""{COUNT}
    local f = torch.DiskFile('data', 'r'):binary():{order}EndianEncoding()
    f:quiet()
    local many = f:read{kind}(100)
    local total, count = wrong(many), #many
    f:seek(1)
    for i = 1, count do total = total + wrong {{ f:read{kind}() }} end
    local given = torch.{kind}Storage({len(elements)})
    f:seek(1)
    f:read{kind}(given)
    print(count, total + wrong(given))
    print(torch.{kind}Tensor(many))
    """
    first, rest = _run(program, tmp_path).split("\n", 1)
    assert first.split() == [str(len(elements)), "0"]
    assert rest.count("nan") == len(elements)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("count", [1, 8, 100, 1500])
def test_compiled_loops(count: int, tmp_path: Path) -> None:
    """Forged and plain elements in turn at one address: compiled code must not keep what it saw before."""
    plain = np.ones(count)
    forged = plain.copy()
    forged[-1:] = ALL["Double"][3]
    (tmp_path / "data").write_bytes(plain.tobytes() + forged.tobytes())
    program = f"""
    local n, wrong = {count}, 0
    local f, s = torch.DiskFile('data', 'r'):binary(), torch.DoubleStorage({count})
    for turn = 1, 2000 do
       f:seek(turn % 2 == 0 and 1 or 1 + 8 * n)
       f:readDouble(s)
       if type(s[n]) ~= 'number' or (turn % 2 == 0) ~= (s[n] == 1) then wrong = wrong + 1 end
       f:seek(1 + 8 * (n - 1) + (turn % 3 == 0 and 0 or 8 * n))
       local v = f:readDouble()
       if type(v) ~= 'number' or (turn % 3 == 0) ~= (v == 1) then wrong = wrong + 1 end
    end
    print(wrong)
    """
    assert _run(program, tmp_path) == "0\n"


@pytest.mark.parametrize("kind", ["Double", "Float"])
def test_many_bytes(kind: str, tmp_path: Path) -> None:
    """Many elements are summed up first; infinities of both signs are among them."""
    for place in (0, 1023, 5000):
        elements = np.zeros(5001, ALL[kind].dtype)
        elements[10], elements[11], elements[12] = np.inf, -np.inf, -1.5
        elements[place] = ALL[kind][1]
        (tmp_path / "data").write_bytes(elements.tobytes())
        program = f"""
        local s = torch.DiskFile('data', 'r'):binary():read{kind}(5001)
        for i = 1, #s do assert(type(s[i]) == 'number') end
        print(s[11], s[12], s[13], s[{place + 1}])
        """
        assert _run(program, tmp_path).split() == ["inf", "-inf", "-1.5", "nan"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", ["Double", "Float", "Half"])
@pytest.mark.parametrize("shared", ["false", "true"])
def test_mapped_files(kind: str, shared: str, tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(ALL[kind].tobytes())
    assert _run(f"{COUNT} print(wrong(torch.{kind}Storage('data', {shared})))", tmp_path) == "0\n"


def test_serialized_objects(tmp_path: Path) -> None:
    program = r"""
    local bits, number = ('\255'):rep(8), '\0\0\0\0\0\0\248?'
    local function forge(object)
       local text = torch.serialize(object)
       local at = assert(text:find(number, 1, true))
       return torch.deserialize(text:sub(1, at - 1) .. bits .. text:sub(at + 8))
    end
    print(forge(1.5), forge({ 1.5 })[1], forge(torch.Tensor{1.5})[1])
    print(pcall(forge, { [1.5] = true }))
    """
    first, second = _run(program, tmp_path).splitlines()
    assert first.split() == ["nan"] * 3
    assert second.startswith("false") and second.endswith("key of a table must not be nan")


def test_numbers_as_text(tmp_path: Path) -> None:
    """What C's strtod makes of these has a payload."""
    program = """
    local f = torch.MemoryFile('rw'):ascii()
    f:writeString('-nan(0x7ffffffffffff) 1 -nan(0xd800000001234) 2 nan 3 -nan 4')
    f:seek(1)
    for i = 1, 8 do io.write(tostring(f:readDouble()), ' ') end
    """
    words = [word.lstrip("-") for word in _run(program, tmp_path).split()]
    assert words == ["nan", "1", "nan", "2", "nan", "3", "nan", "4"]


def test_states_of_generators(tmp_path: Path) -> None:
    """Wherever eight bytes of a state are set, what is drawn are numbers."""
    program = """
    local state = torch.getRNGState()
    for first = 1, state:nElement(), 4 do
       local other = state:clone()
       for k = first, math.min(first + 11, other:nElement()) do other[k] = 255 end
       if pcall(torch.setRNGState, other) then
          assert(type(torch.normal()) == 'number')
          assert(type(torch.normal()) == 'number')
       end
    end
    print 'done'
    """
    assert _run(program, tmp_path) == "done\n"


@pytest.mark.parametrize("kind", ["Double", "Float", "Half"])
def test_memory_that_integers_left(kind: str, tmp_path: Path) -> None:
    """A new tensor's elements are not determined, but they are numbers."""
    program = f"""
    local size = torch.{kind}Storage():elementSize()
    for turn = 1, 20 do
       local a = torch.LongTensor(8192 * size / 8):fill(-1 - turn * 2 ^ 47)
       a = nil
       collectgarbage()
       local x = torch.{kind}Tensor(8192)
       for i = 1, 8192 do assert(type(x[i]) == 'number') end
    end
    print 'done'
    """
    assert _run(program, tmp_path) == "done\n"


def test_memory_that_doubles_left(tmp_path: Path) -> None:
    """Halves of doubles are no floats to rely on."""
    program = """
    for turn = 1, 20 do
       local a = torch.DoubleTensor(8192):fill(-1e-300 * turn / 3)
       a = nil
       collectgarbage()
       local x = torch.FloatTensor(16384)
       for i = 1, 16384 do assert(type(x[i]) == 'number') end
    end
    print 'done'
    """
    assert _run(program, tmp_path) == "done\n"


@pytest.mark.parametrize("kind", ["Double", "Float", "Half"])
def test_arrays(kind: str) -> None:
    runtime = Runtime()
    program = """return function(x)
       for i = 1, x:nElement() do if type(x[i]) ~= 'number' then return i end end
    end"""
    find: Any = runtime.execute(program)
    given = ALL[kind]
    strided = np.zeros((len(given), 3), given.dtype)
    strided[:, 1] = given
    fixed = given.copy()
    fixed.flags.writeable = False
    for array in (given.copy(), strided[:, 1], fixed):
        assert find(array) is None
    assert find(np.full(40000, given[0])) is None
    for place in (0, 20000, 39999):
        one = np.zeros(40000, given.dtype)
        one[place] = given[0]
        one[5], one[6] = np.inf, -np.inf
        assert find(one) is None
    converted: Any = runtime.execute("return function(x) return x:float(), x:double() end")
    for result in converted(np.full(40000, given[0])):
        assert np.isnan(np.asarray(result)).all() and find(result) is None
    # Numbers stay as they are, nan with the sign that processors make among them.
    plain = np.array([1.5, -0.0, np.inf, -np.inf, np.nan], given.dtype)
    plain = np.append(plain, np.array([-np.nan], given.dtype))
    before = plain.tobytes()
    assert find(plain) is None and plain.tobytes() == before


@pytest.mark.parametrize("kind", ["Double", "Float", "Half"])
def test_what_lies_between_the_elements_of_an_array(kind: str) -> None:
    """A storage reaches it; it is not the array's to change, and an array beside numbers is still shared."""
    count: Any = Runtime().execute("""return function(x, value)
       local s, wrong = x:storage(), 0
       for i = 1, #s do if type(s[i]) ~= 'number' then wrong = wrong + 1 end end
       if value then x:fill(value) end
       return wrong
    end""")
    given = ALL[kind]
    columns = np.zeros((len(given), 3), given.dtype)
    columns[:, 0] = given
    before = columns.tobytes()
    assert count(columns[:, 1]) == 0 and columns.tobytes() == before
    records = np.zeros(5, dtype=[("key", given.dtype.str.replace("f", "i")), ("value", given.dtype)])
    records["key"] = -1
    assert count(records["value"]) == 0 and (records["key"] == -1).all()
    shared = np.full((4, 3), np.nan, given.dtype)
    assert count(shared[:, 1], 2.0) == 0
    assert (shared[:, 1] == 2).all() and np.isnan(shared[:, 0]).all()


def test_numbers_of_python() -> None:
    kind: Any = Runtime().execute("return function(v) return type(v) end")
    for bits in DOUBLES:
        assert kind(struct.unpack("d", struct.pack("Q", bits))[0]) == "number"
