"""torch.save, torch.load, torch.serialize and the methods for objects of files."""

from __future__ import annotations

import os
import random
import resource
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from t7shell.engine.engine import Engine

Lua = Callable[[str], str]
GRAPHS = Path(__file__).parents[2] / "object_graphs.lua"


def error_of(engine: Engine, source: str) -> str:
    result = engine.execute(source, "=test")
    assert not result.ok
    return result.message


@pytest.mark.parametrize("mode", ["binary", "ascii", "b64", "b32"])
def test_random_graphs_come_back_as_they_were(lua: Lua, mode: str) -> None:
    lua(f"""
        local generate, same = dofile('{GRAPHS}')
        for seed = 1, 150 do
           local object = generate(seed)
           local text = torch.serialize(object, '{mode}')
           local fine, why = same(object, torch.deserialize(text, '{mode}'))
           assert(fine, seed .. ': ' .. tostring(why))
        end
    """)


@pytest.mark.parametrize("mode", ["binary", "ascii"])
def test_random_graphs_in_files_with_other_encodings(lua: Lua, tmp_path: Path, mode: str) -> None:
    lua(f"""
        local generate, same = dofile('{GRAPHS}')
        for seed = 1, 60 do
           local object = generate(seed)
           local f = torch.DiskFile('{tmp_path}/x', 'w'):{mode}():bigEndianEncoding()
           f:longSize(4)
           f:writeObject(object)
           f:writeObject(object)
           f:close()
           f = torch.DiskFile('{tmp_path}/x', 'r'):{mode}():bigEndianEncoding()
           f:longSize(4)
           local first = f:readObject()
           assert(same(object, first), seed)
           assert(type(first) ~= 'table' or f:readObject() == first)
           f:close()
        end
    """)


@pytest.mark.slow
def test_damaged_files_are_errors_or_other_objects(lua: Lua) -> None:
    """Bytes are changed, cut out and put in; T7_FUZZ says how often, T7_FUZZ_FIRST which."""
    rounds, first = int(os.environ.get("T7_FUZZ", "3000")), int(os.environ.get("T7_FUZZ_FIRST", "1"))
    printed = lua(f"""
        local generate = dofile('{GRAPHS}')
        local state = 12344 + {first}
        local function draw(n)
           state = (state * 1103515245 + 12345) % 2 ^ 31
           return math.floor(state / 16) % n + 1
        end
        local values = {{ 0, 1, 3, 4, 127, 128, 255 }}
        local failed, empty, clock, longest = 0, 0, os.clock, 0
        for round = 1, {rounds} do
           local mode = round % 2 == 0 and 'ascii' or 'binary'
           local text = torch.serialize({{ generate(round % 200), torch.range(1, 5), 'end' }}, mode)
           for _ = 1, draw(3) do
              local at, how = draw(#text), draw(4)
              local byte = string.char(draw(2) == 1 and draw(256) - 1 or values[draw(#values)])
              if how == 1 then text = text:sub(1, at - 1)
              elseif how == 2 then text = text:sub(1, at) .. text:sub(at + 2)
              elseif how == 3 then text = text:sub(1, at) .. byte .. text:sub(at + 1)
              else text = text:sub(1, at - 1) .. byte .. text:sub(at + 1) end
           end
           local start = clock()
           local fine, object = pcall(torch.deserialize, text, mode)
           longest = math.max(longest, clock() - start)
           if not fine then failed = failed + 1
              assert(type(object) == 'string' and not object:find('stack overflow'), object)
           -- A zero alone is nil.
           elseif type(object) ~= 'table' and text ~= '0' then empty = empty + 1 end
        end
        print(failed, empty, longest < 2)
    """)
    failed, empty, quick = printed.split()
    assert int(failed) > rounds * 0.4
    assert int(empty) == 0
    assert quick == "true"


@pytest.mark.parametrize("mode", ["binary", "ascii"])
def test_every_truncation_is_an_error(lua: Lua, mode: str) -> None:
    lua(f"""
        local object = {{ torch.range(1, 3), {{ x = 'abc' }}, torch.ByteTensor{{1}}, 5, true }}
        local text = torch.serialize(object, '{mode}')
        local stop = '{mode}' == 'ascii' and #text - 2 or #text - 1
        local _, empty = pcall(torch.deserialize, '', '{mode}')
        assert(empty:find('the string is not a .t7 file: it is empty', 1, true), empty)
        for n = 1, stop do
           local fine, message = pcall(torch.deserialize, text:sub(1, n), '{mode}')
           assert(not fine and message:find('at byte'), n)
        end
    """)


BIG = struct.pack("<q", 2**60)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x09\0\0\0", r"is not a .t7 file: it begins with b'\t\x00\x00\x00'"),
        (b"\x03\0\0\0\x01\0\0\0\xff\xff\xff\x7f", "number of entries of a table"),
        (b"\x03\0\0\0\x01\0\0\0\xff\xff\xff\xff", "at least 0"),
        (b"\x02\0\0\0\xff\xff\xff\x7f", "a string of 2147483647 bytes: the file ends before"),
        (b"\x04\0\0\0\x01\0\0\0\x03\0\0\0V 1\x13\0\0\0torch.DoubleStorage" + BIG, "1152921504606846976"),
        (b"\x04\0\0\0\x01\0\0\0\x03\0\0\0V 1\x06\0\0\0nn.Foo", "unknown class 'nn.Foo' at the top"),
        (b"\x05\0\0\0\x07\0\0\0", "a boolean must be 0 or 1"),
        (b"\x03\0\0\0\x01\0\0\0\x01\0\0\0" + b"\0" * 20, "key of a table"),
        (b"\0\0\0\0rest", "4 bytes follow"),
    ],
)
def test_faults_are_named(engine: Engine, tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "x.t7"
    path.write_bytes(data)
    message = error_of(engine, f"torch.load('{path}')")
    assert words in message
    assert str(path) in message
    assert "byte" in message or "begins with" in message


@pytest.mark.parametrize(
    ("size", "stride", "offset"),
    [("5", "1", "1"), ("4", "2", "1"), ("4", "1", "2"), ("0", "1", "1"), ("4", "-1", "4")],
)
def test_tensors_must_fit_their_storages(engine: Engine, size: str, stride: str, offset: str) -> None:
    text = (
        f"4\n1\n3\nV 1\n18\ntorch.DoubleTensor\n1\n{size}\n{stride}\n{offset}\n"
        "4\n2\n3\nV 1\n19\ntorch.DoubleStorage\n4\n1 2 3 4\n"
    )
    assert "torch.DoubleTensor" in error_of(engine, f"torch.deserialize([[{text}]], 'ascii')")


def test_modes_are_not_confused(engine: Engine, lua: Lua, tmp_path: Path) -> None:
    lua(f"torch.save('{tmp_path}/a', {{1}}, 'ascii') torch.save('{tmp_path}/b', {{1}})")
    assert "ascii file" in error_of(engine, f"torch.load('{tmp_path}/a')")
    assert "binary file" in error_of(engine, f"torch.load('{tmp_path}/b', 'ascii')")


def test_files_of_32_bit_machines_are_read(lua: Lua, tmp_path: Path) -> None:
    printed = lua(f"""
        local object = {{ torch.range(1, 6):resize(2, 3):t(), torch.LongStorage{{5, 6}}, x = 'y' }}
        torch.save('{tmp_path}/x', object, 'b32')
        for _, mode in ipairs{{ 'b32', 'binary' }} do
           local t = torch.load('{tmp_path}/x', mode)
           print(t[1][3][2], t[1]:stride(2), t[2][2], t.x)
        end
    """)
    assert printed == "6\t3\t6\ty\n" * 2


def test_a_save_that_fails_leaves_the_earlier_file(engine: Engine, lua: Lua, tmp_path: Path) -> None:
    path = tmp_path / "model.t7"
    lua(f"torch.save('{path}', 'first')")
    path.chmod(0o640)
    assert "Unwritable object <thread> at <?>.a.b" in error_of(
        engine, f"torch.save('{path}', {{ a = {{ b = coroutine.create(print) }} }})"
    )
    assert lua(f"print(torch.load('{path}'))") == "first\n"
    assert os.listdir(tmp_path) == ["model.t7"]
    lua(f"torch.save('{path}', 'second')")
    assert lua(f"print(torch.load('{path}'))") == "second\n"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_full_disk_leaves_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "model.t7"
    source = f"""
        torch.save('{path}', 'first')
        print(pcall(torch.save, '{path}', torch.zeros(1e6)))
        print(torch.load('{path}'))
    """

    def limit() -> None:
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

    command = [sys.executable, "-m", "t7shell", "-e", source]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, timeout=60)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("false")
    assert "cannot write" in lines[0]
    assert lines[1:] == ["first"]
    assert os.listdir(tmp_path) == ["model.t7"]


def test_a_save_through_a_link_keeps_the_link(lua: Lua, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    lua(f"torch.save('{tmp_path}/link', 5)")
    assert (tmp_path / "link").is_symlink()
    assert lua(f"print(torch.load('{tmp_path}/target'))") == "5\n"
    lua("torch.save('/dev/null', 5)")
    assert not Path("/dev/null").is_file()


def test_functions_keep_their_upvalues(lua: Lua) -> None:
    printed = lua("""
        local count, x = 0, torch.ones(3)
        local function step() count = count + 1 x:add(1) return count, x[1] end
        local copy = torch.deserialize(torch.serialize({ step = step, x = x }))
        copy.step()
        print(copy.step())
        print(copy.x[1], x[1], count)
    """)
    assert printed == "2\t3\n3\t1\t0\n"


def test_bytecode_that_is_not_of_this_lua_is_not_loaded(lua: Lua) -> None:
    printed = lua(r"""
        local text = torch.serialize({ f = function() return 1 end, x = 5 })
        for _, change in ipairs{ { '\27LJ\2', '\27LJ\1' }, { '\27LJ\2', '\27LuaQ' } } do
           local changed = text:gsub(change[1], (change[2] .. '    '):sub(1, 4))
           local t = torch.deserialize(changed)
           print(t.x, select(2, pcall(t.f)):match('cannot run: .*'))
        end
    """)
    lines = printed.splitlines()
    assert lines[0].startswith("5\tcannot run: it is bytecode of another LuaJIT")
    assert lines[1].startswith("5\tcannot run: it is bytecode of another Lua")


def test_damaged_bytecode_is_not_loaded(lua: Lua) -> None:
    lua(r"""
        local bytecode = require 'torch.language.bytecode'
        local functions = {
           function() end,
           function(a, ...)
              local t = { 1, 2, x = 'y', [3.5] = true }
              for i = 1, 10 do t[i] = i * 1.5e300 end
              return t, ...
           end,
           function()
              local a, b = 1, 2LL
              return function() a = a + 1 return a, b, function() return a end end
           end,
        }
        for _, f in ipairs(functions) do
           for _, text in ipairs{ string.dump(f), string.dump(f, true) } do
              assert(bytecode.fault(text) == nil)
              assert(bytecode.load(text))
              for n = 0, #text - 1 do assert(bytecode.fault(text:sub(1, n))) end
              assert(bytecode.fault(text .. '\0'))
           end
        end
    """)


def test_classes_write_their_own_form(lua: Lua) -> None:
    printed = lua("""
        local A = torch.class('TsA')
        A.__version = 3
        function A:__write(f) f:writeInt(self.n) f:writeObject({ self }) end
        function A:__read(f, version) self.n, self.me, self.version = f:readInt(), f:readObject(), version end
        local a = TsA() a.n = 9
        local b = torch.deserialize(torch.serialize(a, 'ascii'), 'ascii')
        print(b.n, b.me[1] == b, b.version, torch.serialize(a, 'ascii'):match('V 3') ~= nil)
    """)
    assert printed == "9\ttrue\t3\ttrue\n"


def test_warnings_and_errors_name_the_place(engine: Engine, lua: Lua) -> None:
    printed = lua("""
        torch.class('TsB')
        local b = TsB() b.bad, b.good = coroutine.create(print), 1
        local copy = torch.deserialize(torch.serialize({ list = { b } }))
        print(copy.list[1].good, copy.list[1].bad)
    """)
    assert printed == "$ Warning: cannot write object field <bad> of <TsB> <?>.list.1\n1\tnil\n"
    source = """
        local torch = torch
        local outer = { theinner = { baz = function() return torch end } }
        torch.serialize(function() return outer end)
    """
    assert "at <?>.outer.theinner.baz.torch" in error_of(engine, source)


READ_ERRORS = [
    ("require 'nn'", "nn.Sequential", "0\\n", "the fields of a nn.Sequential must be a table (got nil)"),
    (
        "local C = torch.class('TsC') function C:read(f) self.n = #f:readObject() end",
        "TsC",
        "0\\n",
        "cannot read a TsC: test:1: attempt to get length of a nil value",
    ),
    ("local C = torch.class('TsD') function C:read() error('a', 0) end", "TsD", "", "cannot read a TsD: a"),
]


@pytest.mark.parametrize(("definition", "name", "contents", "message"), READ_ERRORS)
def test_errors_of_read_methods_name_the_byte(
    engine: Engine, definition: str, name: str, contents: str, message: str
) -> None:
    head = f"4\\n1\\n3\\nV 1\\n{len(name)}\\n{name}\\n"
    source = f"{definition}\ntorch.deserialize('{head}{contents}', 'ascii')"
    byte = len(head.replace("\\n", "\n")) + 1
    assert error_of(engine, source) == f"test:2: deserialize: at byte {byte}: {message}"


@pytest.mark.skipif(sys.platform == "win32", reason="needs ulimit")
@pytest.mark.parametrize("elements", [10, 100000])
def test_a_failed_save_names_the_place_once(tmp_path: Path, elements: int) -> None:
    source = f"torch.save('{tmp_path}/x.t7', torch.ones({elements}))"
    command = f'ulimit -f 0; exec {sys.executable} -m t7shell -e "{source}" 2>&1 | cat'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    first = done.stdout.splitlines()[0]
    assert first.endswith("x.t7: cannot write: File too large") and first.count("(command line):1: ") == 1
    assert not list(tmp_path.iterdir())


def test_errors_of_read_methods_that_are_no_text_are_unchanged(lua: Lua) -> None:
    printed = lua("""
        local C = torch.class('TsE')
        local mine = {}
        function C:write() end
        function C:read() error(mine) end
        print(select(2, pcall(torch.deserialize, torch.serialize(C.new()))) == mine)
    """)
    assert printed == "true\n"


def test_an_object_that_fails_half_way_leaves_the_file_usable(lua: Lua) -> None:
    printed = lua("""
        local f = torch.MemoryFile()
        print(pcall(f.writeObject, f, { 1, { coroutine.create(print) } }))
        f:seek(1)
        local t = { 'fine' }
        f:writeObject(t) f:writeObject({ t })
        f:seek(1)
        local a, b = f:readObject(), f:readObject()
        print(a[1], b[1] == a)
    """)
    assert printed.splitlines()[1] == "fine\ttrue"


def test_unreferenced_files_hold_copies(lua: Lua, tmp_path: Path) -> None:
    printed = lua(f"""
        local x = torch.ones(2)
        torch.save('{tmp_path}/x', {{ x, x }}, 'binary', false)
        local t = torch.load('{tmp_path}/x', 'binary', false)
        t[1]:fill(7)
        print(t[2][1], torch.MemoryFile():referenced(false):isReferenced())
    """)
    assert printed == "1\tfalse\n"


def test_quiet_files_report_by_hasError(lua: Lua) -> None:
    printed = lua("""
        local f = torch.MemoryFile():quiet()
        f:writeString('3\\n1\\n5\\n1\\n')
        f:seek(1)
        print(f:readObject(), f:hasError(), f:isQuiet())
    """)
    assert printed == "nil\ttrue\ttrue\n"


@pytest.mark.parametrize("text", ["", "1\n", "2\n9\nabc", "4\n1\n3\nV 1\n16\ntorch.IntStorage\n3\n1 2\n"])
def test_an_object_that_the_end_cuts_off_is_an_error_of_the_file(lua: Lua, tmp_path: Path, text: str) -> None:
    # As in Torch7, for pedantic files too.
    path = tmp_path / "x"
    path.write_text(text)
    program = f"f = torch.DiskFile({str(path)!r}) print((pcall(f.readObject, f)), f:hasError())"
    assert lua(program) == "false\ttrue\n"


def test_an_unknown_tag_is_no_error_of_the_file(lua: Lua) -> None:
    # As in Torch7.
    program = "f = torch.MemoryFile() f:writeInt(99) f:seek(1) print((pcall(f.readObject, f)), f:hasError())"
    assert lua(program) == "false\tfalse\n"


def test_tensors_write_and_read_their_contents(lua: Lua) -> None:
    printed = lua("""
        local f = torch.MemoryFile():binary()
        torch.range(1, 6):resize(2, 3):write(f)
        torch.LongStorage{ 4, 5 }:write(f)
        f:seek(1)
        local x, s = torch.Tensor(), torch.LongStorage()
        x:read(f) s:read(f)
        print(x:size(2), x[2][3], #s, s[2])
    """)
    assert printed == "3\t6\t2\t5\n"


def test_deep_nesting_is_no_crash(lua: Lua) -> None:
    printed = lua("""
        local function nested(depth)
           local t = {}
           for _ = 1, depth do t = { t } end
           return t
        end
        local t, depth = torch.deserialize(torch.serialize(nested(50000))), 0
        while t[1] do t, depth = t[1], depth + 1 end
        print(depth, pcall(torch.serialize, nested(200000)))
        local text = ('3\\n%d\\n1\\n1\\n1\\n')
        local parts = {}
        for i = 1, 200000 do parts[i] = text:format(i) end
        print(pcall(torch.deserialize, table.concat(parts), 'ascii'))
    """)
    first, second = printed.splitlines()
    assert first.startswith("50000\tfalse\t")
    assert "objects nested more than" in first
    assert second.startswith("false\t")
    assert "objects nested more than" in second


def test_generators_keep_their_stream(lua: Lua) -> None:
    printed = lua("""
        local g = torch.Generator()
        torch.manualSeed(g, 5) torch.random(g)
        for _, mode in ipairs{ 'ascii', 'binary' } do
           local copy = torch.deserialize(torch.serialize(g, mode), mode)
           print(torch.random(copy) == torch.random(g))
           torch.manualSeed(g, 6)
        end
    """)
    assert printed == "true\ntrue\n"


def test_random_bytes_are_no_object(lua: Lua) -> None:
    draw = random.Random(1)
    blocks = [bytes(draw.randrange(256) for _ in range(draw.randrange(1, 60))) for _ in range(300)]
    listed = ", ".join("'" + "".join(f"\\{byte:03d}" for byte in block) + "'" for block in blocks)
    lua(f"""
        for _, text in ipairs{{ {listed} }} do
           assert(not pcall(torch.deserialize, text))
           pcall(torch.deserialize, text, 'ascii')
        end
    """)


def test_the_memory_of_a_string_is_not_seen_again(engine: Engine, lua: Lua) -> None:
    lua("""
        DiscardedFile = nil
        local class = torch.class('TsKeeper')
        function class.__write(_, file)
           DiscardedFile = file
           file:writeDouble(torch.DoubleStorage(5000):fill(1))
        end
        local text = torch.serialize(TsKeeper())
        for _ = 1, 5 do
           local x = torch.rand(100, 100)
           local first = torch.serialize(x)
           torch.serialize(torch.zeros(100, 100))
           assert(torch.deserialize(first):equal(x) and #text > 40000)
           local storage = torch.serializeToStorage(x)
           torch.serialize(torch.zeros(100, 100))
           collectgarbage()
           collectgarbage()
           torch.zeros(100, 100):fill(3)
           assert(torch.deserializeFromStorage(storage):equal(x))
        end
    """)
    assert "is closed" in error_of(engine, "DiscardedFile:writeInt(1)")
    assert "is closed" in error_of(engine, "DiscardedFile:storage()")


def test_long_strings_and_storages(lua: Lua) -> None:
    lua("""
        local text, bytes = ('abcdefg'):rep(100000), torch.ByteTensor(1000000):random(255)
        local object = { text, bytes, { text .. 'x' } }
        for _ = 1, 3 do
           local again = torch.deserialize(torch.serialize(object))
           assert(again[1] == text and again[2]:equal(bytes) and again[3][1] == text .. 'x')
        end
        local file = torch.MemoryFile()
        file:writeString(text)
        file:seek(1)
        assert(file:readString('*a') == text)
    """)


@pytest.mark.parametrize("mode", ["binary", "ascii"])
def test_functions_that_share_an_upvalue_still_do(lua: Lua, mode: str) -> None:
    printed = lua(f"""
        local count = 0
        local add, get = function() count = count + 1 end, function() return count end
        local t = torch.deserialize(torch.serialize({{ add, get }}, '{mode}'), '{mode}')
        t[1]() t[1]()
        print(t[2](), get())
        local empty
        local read, write = function() return empty end, function(x) empty = x end
        t = torch.deserialize(torch.serialize({{ read, write }}, '{mode}'), '{mode}')
        t[2](7)
        print(t[1](), read())
    """)
    assert printed == "2\t0\n7\tnil\n"


def test_files_that_an_object_closes(engine: Engine) -> None:
    source = """
    local Closing = torch.class('Closing{how}')
    function Closing:write(file) if '{how}' == 'write' then file:close() else file:writeInt(1) end end
    function Closing:read(file) file:close() end
    local file = torch.MemoryFile()
    file:writeObject({{Closing{how}(), 1}}) file:seek(1) return file:readObject()"""
    assert "the write method of Closingwrite closed the file" in error_of(engine, source.format(how="write"))
    assert "the read method of Closingread closed the file" in error_of(engine, source.format(how="read"))


def test_elements_of_a_tensor_are_deserialized(lua: Lua) -> None:
    program = """
    local c = torch.CharTensor(torch.serializeToStorage {7})
    local strided = torch.cat(c, c, 2):select(2, 2)
    print(torch.deserializeFromStorage(c)[1], torch.deserializeFromStorage(strided)[1])"""
    assert lua(program) == "7\t7\n"


def test_a_class_may_have_its_own_factory(lua: Lua) -> None:
    """So packages of functions are stored: reading gives the package itself."""
    program = """
    local package_table = { f = function() return 42 end }
    local mt = torch.class('package.TsFactory')
    function mt:__write() end
    function mt:__read() end
    function mt.__factory(file) assert(torch.typename(file) == 'torch.MemoryFile') return package_table end
    setmetatable(package_table, mt)
    local text = torch.serialize{package_table, {package_table}}
    local back = torch.deserialize(text)
    local factory = torch.factory('package.TsFactory')
    print(back[1] == package_table, back[2][1] == package_table, factory == mt.__factory)"""
    assert lua(program) == "true\ttrue\ttrue\n"


def test_tables_are_written_in_the_order_of_the_original(lua: Lua) -> None:
    # What Torch7 wrote.
    written = lua("""
        local t = {name = 'x', lr = 0.5, zeta = {true}, [1] = 5, [true] = 3} t.k7, t.k14 = 1, 2 t.lr = nil
        print((torch.serialize(t, 'ascii'):gsub('\\n', ' ')))
        print(require('torch.base.key_order').native)
    """).splitlines()
    if written[1] == "true":
        entries = "1 1 1 5 5 1 1 3 2 3 k14 1 2 2 4 name 2 1 x 2 2 k7 1 1 2 4 zeta 3 2 1 1 1 5 1 "
        assert written[0] == "3 1 6 " + entries
