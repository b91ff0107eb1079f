"""The order of `pairs` and `next`. Those of the original were printed by the LuaJIT that Torch7 brought."""

from __future__ import annotations

import sys

import pytest

from t7shell.engine import string_ids
from t7shell.engine.luajit import binding

from .fork_server import run_t7

BY_CONTENT = string_ids.install(binding().__file__)

ORDER = """
local function order(t)
   local o = {}
   for k in pairs(t) do o[#o + 1] = tostring(k) end
   print(table.concat(o, ' '))
end
"""
BUILT = ORDER + "order{weight = 1, bias = 2, gradWeight = 3, gradBias = 4, output = 5}"
COUNTED = (
    ORDER
    + """
local t = {}
for w in ('it was the best of times it was the worst of times'):gmatch('%a+') do t[w] = (t[w] or 0) + 1 end
order(t)
for _, k in ipairs{'best', 'was', 'it'} do t[k] = nil end
t.age, t[1], t[2.5], t['a key of more than twelve bytes'] = 1, 2, 3, 4
order(t)
local u = {}
for i = 1, 14 do u['W' .. i] = i end
order(u)
local v = {}
for w in ('it was the best of times'):gmatch('%a+') do v[w] = 1 end
print(next(v), (next(v, 'best')))
"""
)


def run(source: str, **environment: str) -> str:
    made = run_t7("-e", source, env=environment)
    assert made.returncode == 0, made.stderr
    return made.stdout


def lookup3(key: bytes) -> int:
    """Bob Jenkins' hash of bytes, hashlittle() from a seed of 0."""
    mask = 0xFFFFFFFF

    def turn(x: int, bits: int) -> int:
        return (x << bits | x >> (32 - bits)) & mask

    a = b = c = (0xDEADBEEF + len(key)) & mask
    while True:
        words = [int.from_bytes(key[i : i + 4], "little") for i in (0, 4, 8)]
        a, b, c = (x + y & mask for x, y in zip((a, b, c), words, strict=True))
        if len(key) <= 12:
            break
        key = key[12:]
        for bits in ((4, 6, 8), (16, 19, 4)):
            a = (a - c & mask) ^ turn(c, bits[0])
            c = c + b & mask
            b = (b - a & mask) ^ turn(a, bits[1])
            a = a + c & mask
            c = (c - b & mask) ^ turn(b, bits[2])
            b = b + a & mask
    for bits in ((14, 11, 25), (16, 4, 14)):
        c = (c ^ b) - turn(b, bits[0]) & mask
        a = (a ^ c) - turn(c, bits[1]) & mask
        b = (b ^ a) - turn(a, bits[2]) & mask
    return (c ^ b) - turn(b, 24) & mask


@pytest.mark.skipif(not BY_CONTENT, reason="strings are not numbered by their content on this system")
def test_orders_of_the_original() -> None:
    assert run(BUILT) == "gradBias weight gradWeight output bias\n"
    assert run(COUNTED).splitlines() == [
        "it best worst of times the was",
        "1 a key of more than twelve bytes age the worst times 2.5 of",
        "W6 W4 W14 W7 W10 W8 W1 W5 W9 W13 W12 W3 W11 W2",
        "it\tof",
    ]


@pytest.mark.one_in(5)
@pytest.mark.skipif(not BY_CONTENT, reason="strings are not numbered by their content on this system")
@pytest.mark.parametrize("length", [*range(1, 26), 100, 1000])
def test_a_string_has_the_hash_of_its_content(length: int) -> None:
    key = "".join(chr(97 + (7 * i + i * i) % 26) for i in range(length))
    read = "require('ffi').cast('const uint32_t *', require('ffi').cast('const char *', key))[-3]"
    assert run(f"local key = ('{key}'); print(tonumber({read}))") == f"{lookup3(key.encode())}\n"


def test_a_thread_has_the_same_order() -> None:
    in_thread = f"t = require('threads').Threads(1) t:addjob(function() {COUNTED} end) t:synchronize()"
    assert run(in_thread) == run(COUNTED)


def test_the_order_does_not_depend_on_strings_made_before() -> None:
    garbage = "for i = 1, 1e5 do local _ = 'garbage' .. i end " + COUNTED
    assert run(garbage) == run(COUNTED)


def test_pairs_sorts_keys_where_strings_have_other_numbers() -> None:
    orders = [run(COUNTED, T7_KEY_ORDER="process").splitlines()[:2] for _ in range(2)]
    assert (
        orders[0]
        == orders[1]
        == [
            "best it of the times was worst",
            "1 2.5 a key of more than twelve bytes age of the times worst",
        ]
    )
    listed = run("for k, v in pairs{5, 6} do print(k, v) end", T7_KEY_ORDER="process")
    assert listed == "1\t5\n2\t6\n"


def test_a_library_without_the_import_is_left_alone() -> None:
    assert not string_ids.install(sys.executable)
    assert not string_ids.install("/nowhere")
