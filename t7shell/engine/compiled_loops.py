"""Stops compiled loops, which never check the debug hook.

A trace leaves its machine code where a guard fails: it jumps to an exit stub, and the interpreter resumes
from a snapshot. A loop is stopped by redirecting its back edge to a stub: the interpreter then reaches the
hook, which raises its error before the next instruction. A side trace is entered by the jump of a guard that
was patched to it; that jump is redirected to its stub. All code is restored when Lua has returned. Loops of
the library are not patched: they end, or wait for something that must complete.

This is for x86-64. Elsewhere, and with `T7_BREAK_LOOPS=off` in the environment, compiled loops cannot be
stopped. See docs/decisions/0023-stopping-compiled-loops.md for the risks.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from collections.abc import Iterable
from typing import Any

_AVAILABLE = sys.platform != "win32" and os.uname().machine == "x86_64"

_LINE = 64                          # bytes of a cache line, within which a write is atomic
_READ, _WRITE, _EXECUTE = 1, 2, 4   # of mprotect

_JUMP, _SHORT_JUMP = 0xE9, 0xEB
_ALWAYS = b"\x90\xe9"               # "nop; jmp", replaces the two bytes of a conditional jump
_NOTHING = b"\x66\x90"              # nop of two bytes


class _Header(ctypes.Structure):
    _fields_ = (("count", ctypes.c_double), ("exits", ctypes.c_double), ("flushes", ctypes.c_double))


class _Row(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_double) for name in ("address", "size", "loop", "is_loop", "parent", "exit")
    )


class CompiledLoops:
    """Stops the loops that a Lua state compiles from now on."""

    def __init__(self, engine: Any) -> None:
        self._patches: list[tuple[int, bytes]] = []
        self._opened: set[int] = set()
        self._flushes = 0.0
        self.available = _AVAILABLE and os.environ.get("T7_BREAK_LOOPS") != "off"
        if not self.available:
            return
        header, rows, most_exits, self._keeper = engine.helper("shell.traces")()
        # Makes LuaJIT compile all loops again.
        self.flush = engine.lua.execute("return jit.flush")
        self._header = _Header.from_address(int(header))
        self._stubs = (ctypes.c_double * int(most_exits)).from_address(int(header) + ctypes.sizeof(_Header))
        self._rows = int(rows)
        self._protect = ctypes.CDLL(None).mprotect
        self._protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

    def stop(self) -> None:
        """Makes compiled code return to the interpreter. Called from another thread."""
        if not self.available:
            return
        self._flushes = self._header.flushes
        rows = (_Row * int(self._header.count)).from_address(self._rows)
        stubs = [int(address) for address in self._stubs[: int(self._header.exits)]]
        if not self._open(rows):
            return
        for row in rows:
            parent = int(row.parent)
            if parent and int(row.exit) < len(stubs) and parent < len(rows):
                self._turn_back(rows[parent], int(row.address), stubs[int(row.exit)])
        entered = {int(row.parent) for row in rows}
        for number, row in enumerate(rows):
            if row.is_loop and stubs:
                self._leave(int(row.address), int(row.size), int(row.loop), stubs, number in entered)

    def restore(self) -> bool:
        """Restores the code; returns whether any was changed.

        Called by the thread of Lua when Lua has returned.
        """
        changed = bool(self._patches)
        if self._patches and self._header.flushes == self._flushes:
            # The compiler may have write-protected pages again.
            for page in self._opened:
                self._protect(page, mmap.PAGESIZE, _READ | _WRITE | _EXECUTE)
            for address, before in reversed(self._patches):
                ctypes.memmove(address, before, len(before))
            for page in self._opened:
                self._protect(page, mmap.PAGESIZE, _READ | _EXECUTE)
        self._patches.clear()
        self._opened.clear()
        return changed

    def _open(self, rows: Iterable[_Row]) -> bool:
        """Makes the code of traces writable. The compiler protects its pages again after use."""
        pages: set[int] = set()
        for row in rows:
            first = int(row.address) // mmap.PAGESIZE * mmap.PAGESIZE
            pages.update(range(first, int(row.address + row.size), mmap.PAGESIZE))
        self._opened |= pages
        return all(
            self._protect(page, mmap.PAGESIZE, _READ | _WRITE | _EXECUTE) == 0 for page in sorted(pages)
        )

    def _write(self, address: int, new: bytes) -> bool:
        """Writes 1, 2 or 4 bytes of code that another core may be running, if the write is atomic."""
        if address // _LINE != (address + len(new) - 1) // _LINE:
            return False
        if not self._unlock(address):
            return False
        self._patches.append((address, ctypes.string_at(address, len(new))))
        kind = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32}[len(new)]
        kind.from_address(address).value = int.from_bytes(new, "little")
        return True

    def _unlock(self, address: int) -> bool:
        """Makes a page writable right before a write: the compiler may have protected it again."""
        page = address // mmap.PAGESIZE * mmap.PAGESIZE
        return bool(self._protect(page, mmap.PAGESIZE, _READ | _WRITE | _EXECUTE) == 0)

    def _retarget(self, field: int, target: int) -> bool:
        """Changes the target of a near jump whose displacement is at ``field``."""
        return self._write(field, ((target - field - 4) & 0xFFFFFFFF).to_bytes(4, "little"))

    def _turn_back(self, parent: _Row, side: int, stub: int) -> None:
        address = int(parent.address)
        code = ctypes.string_at(address, int(parent.size))
        for at in _near_jumps(code):
            if _target(code, at, address) == side:
                self._retarget(address + at + _opcode(code, at), stub)

    def _leave(self, address: int, size: int, loop: int, stubs: list[int], entered: bool) -> None:
        """Redirects the back edge of a loop to a stub; if that cannot be written, makes its guards fail.

        ``entered``: side traces return to its beginning.
        """
        code = ctypes.string_at(address, size)
        known = set(stubs)
        if not self._close(code, address, loop, known, stubs[0], entered):
            for at in _near_jumps(code):
                if at >= loop and _is_conditional(code, at) and _target(code, at, address) in known:
                    self._write(address + at, _ALWAYS)

    def _close(
        self, code: bytes, address: int, loop: int, known: set[int], stub: int, entered: bool
    ) -> bool:
        size = len(code)
        if code[-5] == _JUMP and _target(code, size - 5, address) in known:
            # The last guard is the back edge, followed by the exit.
            back = size - 7
            if code[back] & 0xF0 == 0x70 and size - 5 + _signed(code[back + 1 : back + 2]) == loop:
                return self._write(address + back, _NOTHING)
            if _is_conditional(code, size - 11) and _target(code, size - 11, address) == address + loop:
                return self._write(address + size - 9, b"\0\0\0\0")
            return False
        # Exits at the start of the trace, with the stack of its snapshot.
        if code[-5] == _JUMP and _target(code, size - 5, address) == address + loop:
            return self._retarget(address + size - 4, stub)
        short = code[-2] == _SHORT_JUMP and size + _signed(code[-1:]) == loop
        if short and not entered and 5 <= loop >= size - 123:
            # The code before the loop does not run again: a longer jump fits there.
            before = loop - 5
            if not (self._unlock(address + before) and self._unlock(address + loop - 1)):
                return False
            self._patches.append((address + before, code[before:loop]))
            jump = bytes([_JUMP]) + ((stub - address - loop) & 0xFFFFFFFF).to_bytes(4, "little")
            ctypes.memmove(address + before, jump, 5)
            return self._write(address + size - 1, ((before - size) & 0xFF).to_bytes(1, "little"))
        return False


def _is_conditional(code: bytes, at: int) -> bool:
    return at >= 0 and code[at] == 0x0F and code[at + 1] & 0xF0 == 0x80


def _opcode(code: bytes, at: int) -> int:
    """The bytes of a near jump before its displacement."""
    return 1 if code[at] == _JUMP else 2


def _near_jumps(code: bytes) -> list[int]:
    """Offsets at which near jumps may begin; only a known target confirms one."""
    ends = len(code)
    return [
        at
        for at in range(ends - 4)
        if code[at] == _JUMP or (at + 6 <= ends and _is_conditional(code, at))
    ]


def _target(code: bytes, at: int, address: int) -> int:
    after = at + _opcode(code, at) + 4
    return address + after + _signed(code[after - 4 : after])


def _signed(field: bytes) -> int:
    return int.from_bytes(field, "little", signed=True)
