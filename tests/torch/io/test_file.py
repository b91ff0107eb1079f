"""torch.DiskFile, torch.MemoryFile and torch.PipeFile."""

from __future__ import annotations

import gc
import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from t7shell.engine.engine import Engine

Lua = Callable[[str], str]


def error_of(engine: Engine, source: str) -> str:
    result = engine.execute(source, "=test")
    assert not result.ok
    return result.message


ELEMENTS = [
    ("Byte", "<B", [0, 7, 255]),
    ("Char", "<b", [-128, 0, 127]),
    ("Short", "<h", [-32768, -1, 32767]),
    ("Int", "<i", [-(2**31), 5, 2**31 - 1]),
    ("Long", "<q", [-(2**53), 0, 2**53]),
    ("Half", "<e", [0.5, -2.0, 65504.0]),
    ("Float", "<f", [0.5, -1e30, 3.0]),
    ("Double", "<d", [0.1, -1e300, 3.0]),
]


@pytest.mark.parametrize(("kind", "form", "values"), ELEMENTS)
def test_binary_bytes_are_those_of_memory(
    lua: Lua, tmp_path: Path, kind: str, form: str, values: list[float]
) -> None:
    path = tmp_path / "x"
    listed = ", ".join(map(repr, values))
    lua(f"""
        local f = torch.DiskFile('{path}', 'w'):binary()
        f:write{kind}({values[0]!r})
        assert(f:write{kind}(torch.{kind}Storage{{{listed}}}) == 3)
        f:close()
    """)
    expected = [struct.pack(form, value) for value in [values[0], *values]]
    assert path.read_bytes() == b"".join(expected)
    printed = lua(f"""
        local f = torch.DiskFile('{path}'):binary()
        local first, rest = f:read{kind}(), f:read{kind}(3)
        print(first == rest[1], first, table.concat(rest:totable(), ' '))
        f:bigEndianEncoding():seek(1)
        local turned = f:read{kind}()
        f:seek(1)
        local s = torch.{kind}Storage(4)
        print(turned == f:read{kind}(s[1] and 1)[1], f:seek(1):littleEndianEncoding():read{kind}(s), s[4])
    """)
    lines = printed.splitlines()
    assert lines[0].split()[:1] == ["true"]
    assert [float(word) for word in lines[0].split()[2:]] == pytest.approx(values)
    assert lines[1].split()[:2] == ["true", "4"]
    assert float(lines[1].split()[2]) == pytest.approx(values[2])


@pytest.mark.parametrize(("kind", "form", "values"), ELEMENTS)
def test_ascii_round_trip(lua: Lua, kind: str, form: str, values: list[float]) -> None:
    listed = ", ".join(map(repr, values))
    printed = lua(f"""
        local f = torch.MemoryFile()
        f:write{kind}(torch.{kind}Storage{{{listed}}}) f:write{kind}({values[1]!r})
        f:seek(1)
        local s = f:read{kind}(3)
        for i = 1, 3 do print(string.format('%.17g', s[i])) end
        print(string.format('%.17g', f:read{kind}()), f:position() == f:seekEnd():position())
    """)
    lines = printed.splitlines()
    rounded = [struct.unpack(form, struct.pack(form, value))[0] for value in values]
    assert [float(line) for line in lines[:3]] == rounded
    assert float(lines[3].split()[0]) == rounded[1]
    assert lines[3].split()[1] == "true"


def test_ascii_numbers_of_every_kind(lua: Lua) -> None:
    text = r"'1e5 -0x10 inf -nan .5\n\t7 1e400'"
    printed = lua(f"""
        local f = torch.MemoryFile() f:writeString({text}) f:seek(1)
        for i = 1, 7 do io.write(tostring(f:readDouble()), ' ') end
    """)
    words = printed.split()
    assert words[:3] == ["100000", "-16", "inf"]
    assert "nan" in words[3]
    assert words[4:] == ["0.5", "7", "inf"]


def test_numbers_that_a_window_cuts_are_read_whole(lua: Lua, tmp_path: Path) -> None:
    values = [i * 1.1 + 1e-7 for i in range(20000)]
    path = tmp_path / "numbers"
    path.write_text(" ".join(map(repr, values)))
    total = lua(f"""
        local f, sum = torch.DiskFile('{path}'), 0
        for i = 1, 20000 do sum = sum + f:readDouble() end
        print(string.format('%.17g', sum))
    """)
    expected = 0.0
    for value in values:
        expected += value
    assert float(total) == expected


def test_long_lines_and_the_end_of_the_file(lua: Lua, tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"x" * 200000 + b"\n\nlast")
    printed = lua(f"""
        local f = torch.DiskFile('{path}'):quiet()
        print(#f:readString('*l'), #f:readString('*l'), f:readString('*l'), f:hasError())
        print('[' .. f:readString('*l') .. ']', f:hasError(), f:clearError():hasError())
        print(#f:seek(1):readString('*a'))
    """)
    assert printed.splitlines() == ["200000\t0\tlast\tfalse", "[]\ttrue\tfalse", "200006"]


def test_a_file_that_is_opened_quietly_stays_quiet(lua: Lua, tmp_path: Path) -> None:
    # What Torch7 printed.
    path = tmp_path / "x"
    path.write_text("12 abc")
    assert lua(
        f"f = torch.DiskFile({str(path)!r}, 'r', true)\n"
        "print(f:isQuiet(), f:readInt(), #f:readInt(2), f:hasError())\n"
        f"print((pcall(f:pedantic().readInt, f)), torch.DiskFile({str(path)!r}, 'r', false):isQuiet())"
    ).splitlines() == ["true\t12\t0\ttrue", "false\tfalse"]
    error = lua(f"print(select(2, pcall(torch.DiskFile, {str(path)!r}, 'r', 1)))")
    assert "torch.DiskFile: argument 3 must be a boolean (got 1)" in error


def test_formats_of_strings_are_known_by_their_letter(lua: Lua) -> None:
    # Torch7 looks at the first two characters: '*line' and '*all' are Lua's long names.
    printed = lua("""
        local f = torch.MemoryFile()
        f:writeString('first\\nsecond\\nthird')
        print(f:seek(1):readString('*line'))
        print(f:readString('*all'))
    """)
    assert printed.splitlines() == ["first", "second", "third"]


def test_reading_and_writing_mix_in_one_file(lua: Lua, tmp_path: Path) -> None:
    path = tmp_path / "rw"
    path.write_bytes(b"0123456789" * 20000)
    lua(f"""
        local f = torch.DiskFile('{path}', 'rw')
        assert(f:seek(100001):readChar(3):string() == '012')
        f:writeString('ABC')
        assert(f:position() == 100007 and f:readChar(2):string() == '67')
        f:seekEnd():writeString('end')
        f:seek(3):writeString('--')
        assert(f:seek(1):readChar(6):string() == '01--45')
        f:close()
    """)
    data = path.read_bytes()
    assert len(data) == 200003
    assert data[:6] == b"01--45"
    assert data[100000:100008] == b"012ABC67"
    assert data.endswith(b"789end")


def test_what_a_program_leaves_open_is_written(t7: Callable[..., object], tmp_path: Path) -> None:
    for end in ("", "os.exit(0)", "error('x')"):
        path = tmp_path / "left"
        path.unlink(missing_ok=True)
        t7("-e", f"f = torch.DiskFile('{path}', 'w') f:writeString('kept') {end}")
        assert path.read_text() == "kept"


def test_files_are_closed_when_nobody_refers_to_them(lua: Lua, tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    lua(f"for i = 1, 50 do torch.DiskFile('{tmp_path}/f' .. i, 'w'):writeInt(i) end")
    lua("collectgarbage() collectgarbage()")
    gc.collect()
    assert (tmp_path / "f50").read_text() == "50\n"
    if before is not None:
        assert len(os.listdir("/proc/self/fd")) <= before


def test_sizes_are_checked_before_memory_is_taken(engine: Engine, lua: Lua) -> None:
    message = error_of(engine, "torch.MemoryFile():binary():readDouble(1e12)")
    assert "1000000000000 Double" in message
    assert lua("f = torch.MemoryFile():quiet() print(#f:readInt(1e12), f:hasError())") == "0\ttrue\n"


def test_pipes_of_unknown_length(lua: Lua) -> None:
    printed = lua("""
        local f = torch.PipeFile('seq 1 100000')
        local s = f:readInt(100000)
        print(#s, s[100000], f:quiet():readInt(), f:hasError())
        f:close()
    """)
    assert printed.split() == ["100000", "100000", "0", "true"]


def test_pipes_take_what_is_written(lua: Lua, tmp_path: Path) -> None:
    path = tmp_path / "sorted"
    lua(f"f = torch.PipeFile('sort > {path}', 'w') f:writeString('b\\na\\n') f:close()")
    assert path.read_text() == "a\nb\n"


def test_messages_name_place_and_finding(engine: Engine) -> None:
    source = "f = torch.MemoryFile() f:writeString('12 abc') f:seek(1) f:readInt() f:readInt()"
    message = error_of(engine, source)
    assert "from position 3" in message
    assert "'abc'" in message
    message = error_of(engine, "torch.DiskFile('/no/such/file')")
    assert "cannot open </no/such/file>" in message
    assert "No such file" in message


@pytest.mark.parametrize(
    "source",
    [
        "torch.MemoryFile('w'):readInt()",
        "torch.MemoryFile('r'):writeInt(1)",
        "local f = torch.MemoryFile() f:close() f:writeInt(1)",
        "local f = torch.MemoryFile() f:close() f:close()",
        "torch.MemoryFile.readInt(3)",
        "torch.MemoryFile():seek(5)",
        "torch.MemoryFile():readString('*x')",
        "local f = torch.MemoryFile() f:writeString('x') f:seek(1):readString('*L')",
        "local f = torch.DiskFile('/dev/null') f:close() f:noBuffer()",
        "local f = torch.DiskFile('/dev/null') f:close() f:bigEndianEncoding()",
        "torch.MemoryFile():longSize(3)",
        "torch.DiskFile('/', 'w')",
        "torch.PipeFile('true', 'rw')",
    ],
)
def test_wrong_use_is_an_error(engine: Engine, source: str) -> None:
    assert error_of(engine, source)


def test_a_storage_and_its_file_share_memory(lua: Lua) -> None:
    printed = lua("""
        local s = torch.CharStorage():string('abc\\0')
        local f = torch.MemoryFile(s, 'rw')
        f:writeString('X')
        print(s:string():sub(1, 3))
        f:seekEnd():writeString(('y'):rep(1000))
        print(#f:storage(), f:storage()[1004], torch.pointer(f:storage()) == torch.pointer(s))
        s:resize(2)
        print(pcall(f.readInt, f), f:seek(1):position())
    """)
    lines = printed.splitlines()
    assert lines[0] == "Xbc"
    assert lines[1] == "1004\t0\ttrue"
    assert lines[2].startswith("false")


def test_temporary_file_stays_open_while_it_is_read(engine: Engine, tmp_path: Path) -> None:
    """Reading takes memory, which may collect garbage: the file itself is referred to by nobody."""
    path = tmp_path / "data"
    path.write_bytes(struct.pack("5001d", *range(5001)))
    program = f"""
    local count = 0
    for turn = 1, 200 do
       local s = torch.DiskFile('{path}', 'r'):binary():readDouble(5001)
       if s[5001] == 5000 then count = count + 1 end
       local garbage = torch.Tensor(200000)
    end
    return count
    """
    assert engine.lua.execute(program) == 200


def test_elements_that_the_end_cuts_off(lua: Lua, tmp_path: Path) -> None:
    # What Torch7 printed: memory gives no part of an element, and a file on disk is read to its end.
    path = tmp_path / "x"
    path.write_bytes(b"abcdef")
    assert lua(
        "m = torch.MemoryFile('rw'):binary() m:writeInt(7) m:writeString('abcdef') m:seek(5) m:quiet()\n"
        "s = torch.DoubleStorage{5, 6}\n"
        "print(m:readDouble(s), s[1], s[2], m:position(), m:hasError(), m:readInt(2)[1], m:position())\n"
        f"f = torch.DiskFile({str(path)!r}, 'r'):binary()\n"
        "print(pcall(f.readInt, f, 2) == false, f:position()) f:seek(3) f:clearError() f:quiet()\n"
        "print(#f:readInt(4), f:position(), f:hasError())"
    ).splitlines() == ["0\t5\t6\t5\ttrue\t1684234849\t9", "true\t7", "1\t7\ttrue"]


@pytest.mark.skipif(os.name == "nt", reason="commands of a POSIX shell")
def test_a_pipe_has_no_positions(lua: Lua) -> None:
    # What Torch7 printed.
    assert lua(
        "f = torch.PipeFile('printf abc'):binary() f:readByte()\n"
        "print(pcall(f.seek, f, 1) == false, tostring(f)) f:close()"
    ) == "true\ttorch.PipeFile on <printf abc> [status: open -- mode: r ]\n"


def test_writing_over_a_storage_keeps_the_rest(lua: Lua) -> None:
    """Positions and texts are the original's."""
    source = """
    local s = torch.CharStorage():string('0123456789\\0')
    local f = torch.MemoryFile(s, 'w')
    f:writeString('ab')
    f:seekEnd()
    print(f:position(), #f:storage())
    f:close()
    print((s:string():gsub('%z', '.')))
    """
    assert lua(source) == "11\t11\nab23456789.\n"
