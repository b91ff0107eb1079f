"""Numbers the strings of LuaJIT by their content, so that `next` has one order in every process.

LuaJIT 2.1 places a string in a table by the number that it got when it was made, which starts at random and
counts up: the order of `next` depends on the process, and on every string made before. In the LuaJIT of
Torch7 it followed from the string. The number is written before LuaJIT copies the characters by `memcpy`,
which it finds in its table of imports: the entry is set to a function of `t7shell/native/string_ids.c`,
which does the copy and, where the call comes from the interning of strings, writes the hash of the characters
over the number.

This is for Linux on x86-64. Elsewhere, or where the library looks different, nothing is changed, and `pairs`
sorts the keys (`lua/torch/language/standard.lua`). See docs/decisions/0032-order-of-keys.md.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import sys
from collections.abc import Iterator
from functools import cache

from t7shell.native import for_any_level

_AVAILABLE = sys.platform == "linux" and os.uname().machine == "x86_64"

_READ, _WRITE = 1, 2  # of mprotect
_CALL = 0xE8
_PLT, _JUMP_SLOT = 23, 7  # DT_JMPREL and R_X86_64_JUMP_SLO of ELF
_SIZE_OF_PLT, _SYMBOLS, _STRINGS = 2, 6, 5


def install(path: str) -> bool:
    """Numbers strings by their content in all states that the library at `path` makes from now on."""
    return _AVAILABLE and os.environ.get("T7_KEY_ORDER") != "process" and _installed(path)


@cache
def _installed(path: str) -> bool:
    try:
        library = ctypes.CDLL(path)
        push = ctypes.cast(library.lua_pushlstring, ctypes.c_void_p).value or 0
        base, code_range = _mapped(path)
        slot = base + _import_slot(path, "memcpy")
        caller = _caller(push, slot, code_range)
        number = for_any_level().t7_string_ids
        number.restype, number.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_void_p]
        code = number(caller, ctypes.cast(ctypes.CDLL(None).memcpy, ctypes.c_void_p))
        # Where the library was linked with -z now, the word is in pages that cannot be written.
        protect = ctypes.CDLL(None).mprotect
        protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        if protect(slot & -mmap.PAGESIZE, mmap.PAGESIZE, _READ | _WRITE):
            return False
        ctypes.c_uint64.from_address(slot).value = code
        return True
    except (AttributeError, LookupError, OSError, ValueError, struct.error):
        return False


def _mapped(path: str) -> tuple[int, range]:
    """The address at which a library is mapped, and the addresses of its code."""
    name, base, code = os.path.realpath(path), 0, range(0)
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            fields = line.split(maxsplit=5)
            if len(fields) < 6 or fields[5].rstrip("\n") != name:
                continue
            first, last = (int(address, 16) for address in fields[0].split("-"))
            if int(fields[2], 16) == 0:
                base = first
            if fields[1].startswith("r-x"):
                code = range(first, last)
    if not base or not code:
        raise LookupError(path)
    return base, code


def _import_slot(path: str, name: str) -> int:
    """The offset of the word with the address of an imported function, from the start of a library in ELF."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
        (program,) = struct.unpack_from("<Q", image, 32)
        size, count = struct.unpack_from("<HH", image, 54)
        segments = [struct.unpack_from("<IIQQQQQQ", image, program + i * size) for i in range(count)]

        def at(address: int) -> int:
            for kind, _, offset, start, _, length, *_ in segments:
                if kind == 1 and start <= address < start + length:
                    return int(offset + address - start)
            raise LookupError(name)

        (dynamic,) = (row for row in segments if row[0] == 2)
        entries = dict(struct.iter_unpack("<QQ", image[dynamic[2] : dynamic[2] + dynamic[5]]))
        symbols, strings = at(entries[_SYMBOLS]), at(entries[_STRINGS])
        start = at(entries[_PLT])
        for slot, info, _ in struct.iter_unpack("<QQq", image[start : start + entries[_SIZE_OF_PLT]]):
            (text,) = struct.unpack_from("<I", image, symbols + 24 * (info >> 32))
            where = strings + text
            named = image[where : where + len(name) + 1] == name.encode() + b"\0"
            if named and info & 0xFFFFFFFF == _JUMP_SLOT:
                return int(slot)
    raise LookupError(name)


_MAX_CODE = 512  # bytes of code that are looked at


def _calls(start: int, length: int) -> Iterator[tuple[int, int]]:
    """The calls in machine code: the address after each, and the one that it calls."""
    code = ctypes.string_at(start, length)
    for i in range(length - 5):
        if code[i] == _CALL:
            after = start + i + 5
            yield after, after + struct.unpack_from("<i", code, i + 1)[0]


def _caller(push: int, slot: int, code: range) -> int:
    """The address after the call of memcpy by the interning of strings, which lua_pushlstring calls."""
    # Bytes that look like calls may lead anywhere: only those that lead to code are followed.
    inside = range(code.start, code.stop - _MAX_CODE)
    for _, interning in _calls(push, 64) if push in inside else ():
        for after, stub in _calls(interning, _MAX_CODE) if interning in inside else ():
            if stub in inside and _slot_of(stub) == slot:
                first = max(after - 64, code.start)
                before = ctypes.string_at(first, after - 5 - first)
                if _stores(before):
                    return after
    raise LookupError("the interning of strings")


def _stores(code: bytes) -> bool:
    """Whether code has `lea 24(string), %rdi` and `mov number, 12(string)`, of one register."""
    triples = list(zip(code, code[1:], code[2:], strict=False))
    texts = {mode & 7 for op, mode, offset in triples if op == 0x8D and mode >> 3 == 0x0F and offset == 24}
    numbers = {mode & 7 for op, mode, offset in triples if op == 0x89 and mode >> 6 == 1 and offset == 12}
    return bool(texts & numbers)


def _slot_of(stub: int) -> int:
    """The word through which a stub of an imported function jumps, or 0."""
    code = ctypes.string_at(stub, 16)
    start = 4 if code.startswith(b"\xf3\x0f\x1e\xfa") else 0
    if code[start : start + 1] == b"\xf2":
        start += 1
    if code[start : start + 2] != b"\xff\x25":
        return 0
    return stub + start + 6 + int(struct.unpack_from("<i", code, start + 2)[0])
