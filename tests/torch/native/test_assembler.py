"""Instructions of the assembler, beside encodings of Intel's manual."""

from __future__ import annotations

import subprocess
import sys

import pytest

from t7shell import Runtime

CODE = """
local assembler = require 'torch.native.assembler'
local code = assembler.new(require('torch.base.types').by_name.{type})
{calls}
return (code:since(0):gsub('.', function(byte) return ('%02X '):format(byte:byte()) end):gsub(' $', ''))
"""


@pytest.mark.parametrize(
    ("calls", "floats", "doubles"),
    [
        ("code:add(0, 1, 2)", "C4 E1 74 58 C2", "C4 E1 75 58 C2"),  # vaddps ymm0, ymm1, ymm2
        ("code:add(8, 9, 10)", "C4 41 34 58 C2", "C4 41 35 58 C2"),  # vaddps ymm8, ymm9, ymm10
        ("code:multiply_add(0, 1, 2)", "C4 E2 75 A8 C2", "C4 E2 F5 A8 C2"),  # vfmadd213ps
        ("code:choose(0, 1, 2, 3 * 16)", "C4 E3 75 4A C2 30", "C4 E3 75 4B C2 30"),  # vblendvps
        ("code:load(1, { base = 8 })", "C4 C1 7C 10 08", "C4 C1 7D 10 08"),  # vmovups ymm1, [r8]
        ("code:load_one(1, { base = 8 })", "C4 C1 7A 10 08", "C4 C1 7B 10 08"),  # vmovss xmm1, [r8]
        ("code:right_by(2, 3, 5)", "C4 E1 6D 72 D3 05", "C4 E1 6D 73 D3 05"),  # vpsrld ymm2, ymm3, 5
        ("code:round(4, 5, 9)", "C4 E3 7D 08 E5 09", "C4 E3 7D 09 E5 09"),  # vroundps ymm4, ymm5, 9
        (
            "code:load(0, { base = 8, offset = 9999 })",
            "C4 C1 7C 10 80 0F 27 00 00",
            "C4 C1 7D 10 80 0F 27 00 00",
        ),
        ("code:load(0, { base = 8, offset = 2 })", "C4 C1 7C 10 40 02", "C4 C1 7D 10 40 02"),
        ("code:multiply_double(0, 1, 2)", "C4 E1 73 59 C2", "C4 E1 73 59 C2"),  # vmulsd xmm0, xmm1, xmm2
        ("code:load_floats(1, { base = 8 })", "C4 C1 78 10 08", "C4 C1 78 10 08"),  # vmovups xmm1, [r8]
        ("code:store_float(1, { base = 8 })", "C4 C1 7A 11 08", "C4 C1 7A 11 08"),  # vmovss [r8], xmm1
        ("code:copy(8, 1)", "4C 8B C1", "4C 8B C1"),  # mov r8, rcx
        ("code:increase(8, { base = 1, offset = 16 })", "4C 03 41 10", "4C 03 41 10"),  # add r8, [rcx + 16]
        ("code:with_number('add', 8, 128)", "49 81 C0 80 00 00 00", "49 81 C0 80 00 00 00"),  # add r8, 128
        ("code.half = true code:add(0, 1, 2)", "C4 E1 70 58 C2", "C4 E1 71 58 C2"),  # vaddps xmm0, xmm1, xmm2
        ("code:multiply_by(8, 1)", "4C 0F AF C1", "4C 0F AF C1"),  # imul r8, rcx
        ("code:increase_at(7, 8, 0)", "48 01 47 08", "48 01 47 08"),  # add [rdi + 8], rax
        ("code:store_doubles(1, { base = 8 })", "C4 C1 7D 11 08", "C4 C1 7D 11 08"),  # vmovupd [r8], ymm1
        ("code:get(9, 7, 8)", "4C 8B 4F 08", "4C 8B 4F 08"),  # mov r9, [rdi + 8]
        ("code:increase(8, 1)", "4C 03 C1", "4C 03 C1"),  # add r8, rcx
        ("code:increase(0, { base = 7, offset = 8 })", "48 03 47 08", "48 03 47 08"),  # add rax, [rdi + 8]
        ("code:copy(5, 0)", "48 8B E8", "48 8B E8"),  # mov rbp, rax
        ("code:set(7, 40, 11)", "4C 89 5F 28", "4C 89 5F 28"),  # mov [rdi + 40], r11
        ("code:compare_with(6, 12)", "49 3B F4", "49 3B F4"),  # cmp rsi, r12
        ("code:keep { 3, 12 }", "53 41 54", "53 41 54"),  # push rbx; push r12
        ("code:leave { 3, 12 }", "C5 F8 77 41 5C 5B C3", "C5 F8 77 41 5C 5B C3"),  # and pop r12; pop rbx
        ("code:test_signs(0, 1)", "C4 E2 7D 0E C1", "C4 E2 7D 0F C1"),  # vtestps ymm0, ymm1
        ("code:add_pairs(0, 1, 2)", "C4 E1 77 7C C2", "C4 E1 75 7C C2"),  # vhaddps
        ("code:low_pairs(0, 1, 2)", "C4 E1 74 14 C2", "C4 E1 75 14 C2"),  # vunpcklps
        ("code:high_pairs(0, 1, 2)", "C4 E1 74 15 C2", "C4 E1 75 15 C2"),  # vunpckhps
        ("code:shuffle(0, 1, 2, 0x88)", "C4 E1 74 C6 C2 88", "C4 E1 75 C6 C2 88"),  # vshufps
        ("code:halves(9, 1, 2, 0x20)", "C4 63 75 06 CA 20", "C4 63 75 06 CA 20"),  # vperm2f128
        ("code:quarters(9, 2, 0xD8)", "C4 63 FD 01 CA D8", "C4 63 FD 01 CA D8"),  # vpermpd ymm9, ymm2, 0xD8
        ("code:add_first_half(0, 1, 2)", "C4 E1 70 58 C2", "C4 E1 71 58 C2"),  # vaddps xmm0, xmm1, xmm2
        ("code:load_half(1, { base = 1 })", "C4 E1 78 10 09", "C4 E1 79 10 09"),  # vmovups xmm1, [rcx]
        ("code:store_half(1, { base = 1 })", "C4 E1 78 11 09", "C4 E1 79 11 09"),  # vmovups [rcx], xmm1
        # vmaskmovps [rax + 2 rdx], ymm15, ymm1
        (
            "code:store_some(1, 15, { base = 0, index = 2, scale = 2 })",
            "C4 E2 05 2E 0C 50",
            "C4 E2 05 2F 0C 50",
        ),
        # vmaskmovps ymm1, ymm15, [r13 + r9 + 8]
        (
            "code:load_some(1, 15, { base = 13, index = 9, offset = 8 })",
            "C4 82 05 2C 4C 0D 08",
            "C4 82 05 2D 4C 0D 08",
        ),
        # vaddss xmm0, xmm0, [r8 + 4 rax]
        ("code:add_one(0, 0, { base = 8, index = 0, scale = 4 })", "C4 C1 7A 58 04 80", "C4 C1 7B 58 04 80"),
        ("code:load(3, { base = 12 })", "C4 C1 7C 10 1C 24", "C4 C1 7D 10 1C 24"),  # vmovups ymm3, [r12]
        ("code:load(3, { base = 13 })", "C4 C1 7C 10 5D 00", "C4 C1 7D 10 5D 00"),  # vmovups ymm3, [r13]
        ("code:with_number('subtract', 6, 8)", "48 83 EE 08", "48 83 EE 08"),  # sub rsi, 8
        ("code:leave()", "C5 F8 77 C3", "C5 F8 77 C3"),  # vzeroupper; ret
        ("code:with_number('and', 9, 0)", "49 83 E1 00", "49 83 E1 00"),  # and r9, 0
        ("code:prefetch { base = 10 }", "49 0F 18 0A", "49 0F 18 0A"),  # prefetcht0 [r10]
        ("code:call_at(15, 8)", "49 FF 57 08", "49 FF 57 08"),  # call [r15 + 8]
        # The second instruction twice, at the start of a line: mov r8, rcx; mov rbp, rax; mov rbp, rax.
        (
            "code:copy(8, 1) code:align() code:copy(5, 0) code:emit(code:since(2))",
            "4C 8B C1" + " 00" * 61 + " 48 8B E8" * 2,
            "4C 8B C1" + " 00" * 61 + " 48 8B E8" * 2,
        ),
    ],
)
def test_encodings(calls: str, floats: str, doubles: str) -> None:
    runtime = Runtime()
    assert runtime.execute(CODE.format(type="Float", calls=calls)) == floats
    assert runtime.execute(CODE.format(type="Double", calls=calls)) == doubles


ENDING = """
import gc
from pathlib import Path
from t7shell import Runtime

def bytes_of_code():
    # Memory of no file that may be executed; neighbors are one line of the maps.
    lines = [line.split() for line in Path("/proc/self/maps").read_text().splitlines()]
    ranges = [words[0].split("-") for words in lines if "r-x" in words[1] and len(words) == 5]
    return sum(int(end, 16) - int(begin, 16) for begin, end in ranges)

def used():
    with Runtime() as lua:
        lua.execute("require 'nn'")
        before = bytes_of_code()
        lua.execute("local m, x = nn.BatchNormalization(50):float(), torch.FloatTensor(20, 50):uniform()\\n"
                    "m:backward(x, m:forward(x))")
        possible = lua.execute("return require('torch.native.assembler').possible()")
        assert (bytes_of_code() > before) == possible
    del lua
    gc.collect()
    return bytes_of_code()

used()
print(used() - used())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the maps of the process are read")
def test_code_ends_with_its_state() -> None:
    # In a separate process: states that other tests have left have code, too.
    run = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.stderr) == ("0\n", "")
