"""What is written, printed and summed over the keys of tables is the same in each process.

The order of `next` over strings is not: with a hundred of them two processes practically never agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Run

WORDS = "local t = {} for i = 1, 100 do t['word' .. i * 7919 % 1009] = 1 / i end "
GRAPH = """
require 'nngraph'
local a, b = nn.Identity()(), nn.Identity()()
local h = nn.Tanh()(nn.Linear(3, 4)(a)):annotate { name = 'h', color = 'red' }
local x = nn.CAddTable() { h, nn.Linear(3, 4)(b) }
local net = nn.gModule({ a, b }, { nn.CMulTable() { h, x, nn.Sigmoid()(h) }, x })
for _, p in ipairs(net:parameters()) do p:fill(0.5) end
net:forward { torch.ones(3), torch.ones(3) }
"""


@pytest.mark.parametrize(
    ("table", "keys"),
    [
        ("{}", ""),
        ("{ 'x', 'y', [4] = 'z' }", ""),
        ("{ b = 1, a = 2, ['a b'] = 3, B = 4 }", "B a a b b"),
        ("{ 'x', 'y', z = 1, [-1] = 1, [2.5] = 1, [9] = 1 }", "1 2 -1 2.5 9 z"),
        ("{ [true] = 1, a = 1, [false] = 1 }", "a false true"),
        ("{ [true] = 1 }", "true"),
        ("{ [one] = 3, [two] = 2, [three] = 1, x = 0 }", "x three two one"),
        ("{ [one] = true, [two] = true, [three] = true }", "three one two"),
    ],
)
def test_keys_in_order(lua: Callable[[str], str], table: str, keys: str) -> None:
    printed = lua(f"""
    local key_order = require 'torch.base.key_order'
    local one, two, three = {{ id = 5 }}, {{ id = 6 }}, {{ id = 1 }}
    local names = {{ [one] = 'one', [two] = 'two', [three] = 'three' }}
    local t = {table}
    local count, list = key_order.of(t, true)
    local all, n = {{}}, 0
    for _ in next, t do n = n + 1 end
    for i, key in ipairs(list or {{}}) do all[i] = names[key] or tostring(key) end
    for key, value in key_order.sorted(t) do
       n = n - 1
       assert(rawequal(t[key], value) and (not list or rawequal(list[count - n], key)))
    end
    assert(n == 0)
    print(table.concat(all, ' '), count)""")
    assert printed.split("\t")[0] == keys


def test_many_strings_are_in_the_order_of_their_bytes(lua: Callable[[str], str]) -> None:
    for n in (2, 11, 12, 13, 14, 200):
        words = [f"k{i * 7919 % 1009}" for i in range(n)]
        fields = " ".join(f"{word} = 1;" for word in words)
        listed = f"select(2, require('torch.base.key_order').of({{ {fields} }}, true))"
        assert lua(f"print(table.concat({listed}, ' '))") == " ".join(sorted(words)) + "\n"


PROGRAMS = [
    WORDS + "torch.save('f', t) torch.save('g', t, 'ascii')",
    WORDS + "torch.save('f', function() return t, { a = 1, b = 2, c = 3, d = 4, e = 5, f = 6 } end)",
    GRAPH + "torch.save('f', net) torch.save('g', net:clone())",
    WORDS + "t = require 'tds'.Hash(t) torch.save('f', t)",
    WORDS + "print(require 'cjson'.encode(t), xlua.table2string(t))",
    WORDS + "xlua.print(t)",
    WORDS + "for k, v in pairs(t) do t[k] = torch.Tensor { v, 1e9 * v } end"
    " print(('%.17g'):format(require('rnn').recursiveSum(t)))"
    " torch.manualSeed(1) require('rnn').recursiveNormal(t) print(t.word856[1])",
    WORDS + "for k, v in pairs(t) do t[k] = torch.ones(3) end require 'npy4th'.savenpz('f.npz', t)",
    WORDS + "for k, v in pairs(t) do t[k] = torch.ones(3) end"
    " local f = require 'hdf5'.open('f.h5', 'w') f:write('/all', t) f:close()",
    WORDS + "local cmd = torch.CmdLine() for k in pairs(t) do cmd:option('-' .. k, 0, '') end"
    " print(cmd:string('run', t, {}))",
    WORDS + "t.run = print local C = torch.class('C') for k in pairs(t) do t[k] = newproxy() end"
    " torch.serialize(setmetatable(t, C))",
    WORDS + "print(require 'shell.html'(t))",
]


def test_each_process_gives_the_same_bytes(t7: Run, tmp_path: Path) -> None:
    lines = []
    for i, program in enumerate(PROGRAMS):
        in_folder = re.sub("'([fg][.'])", rf"'{i}/\1", program)
        lines.append(f"paths.mkdir '{i}' do {in_folder} end print 'end of {i}'\n")
    found = []
    for name in "ab":
        folder = tmp_path / name
        folder.mkdir()
        run = t7("-e", "".join(lines), cwd=folder)
        assert (run.stderr, run.returncode) == ("", 0)
        files = {path.relative_to(folder): path.read_bytes() for path in folder.glob("*/*")}
        assert len(files) == 8
        found.append((run.stdout.split("end of"), files))
    assert found[0] == found[1]
