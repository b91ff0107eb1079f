"""tds: hashes and vectors against Python's dict and list."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

Lua = Callable[[str], str]


@pytest.mark.parametrize("seed", range(5))
def test_a_vector_does_what_a_list_does(fresh_lua: Lua, seed: int) -> None:
    draw, model, source = random.Random(seed), [3, 1, 2], ["local v = require 'tds'.Vec(3, 1, 2)"]
    for _ in range(60):
        action, value = draw.choice(["insert", "append", "remove", "pop", "set", "sort"]), draw.randint(0, 99)
        at = draw.randint(1, max(len(model), 1))
        if action == "insert" and model:
            model.insert(at - 1, value)
            source.append(f"v:insert({at}, {value})")
        elif action == "append":
            model.append(value)
            source.append(f"v:insert({value})")
        elif action == "remove" and model:
            del model[at - 1]
            source.append(f"v:remove({at})")
        elif action == "pop" and model:
            model.pop()
            source.append("v:remove()")
        elif action == "set" and model:
            model[at - 1] = value
            source.append(f"v[{at}] = {value}")
        elif action == "sort":
            model.sort(reverse=True)
            source.append("v:sort(function(a, b) return a > b end)")
    source.append("print(#v, v:concat(','))")
    assert fresh_lua("\n".join(source)) == f"{len(model)}\t{','.join(map(str, model))}\n"


def test_a_hash_counts_its_elements(fresh_lua: Lua) -> None:
    source = """
    local tds = require 'tds'
    local h = tds.Hash { a = 1, [5] = 'five', [true] = torch.ones(2) }
    h.b, h.a, h.none = 2, nil, nil
    local keys = 0
    for key, value in pairs(h) do keys = keys + 1 assert(h[key] == value) end
    print(#h, keys, h.a, h[5], h[true]:sum(), torch.type(h), torch.typename(h) == 'tds.Hash')
    """
    assert fresh_lua(source) == "3\t3\tnil\tfive\t2\ttds.Hash\ttrue\n"


def test_lists_inside_become_vectors_and_tables_hashes(fresh_lua: Lua) -> None:
    source = """
    local tds = require 'tds'
    local h = tds.Hash { inner = { 10, { 20 } } }
    print(torch.type(h.inner), h.inner[1], h.inner[2][1])
    local v = tds.Vec { 1, { x = 2 } }
    v[5] = tds.Vec()
    print(#v, v[2].x, v[4], torch.type(v[5]))
    for i, value in ipairs(v) do io.write(i, ' ') end
    local other = tds.Hash{{}, {[3] = 1}, {a = 1}}
    print(torch.type(other[1]), torch.type(other[2]), torch.type(other[3]), type(other), type(newproxy()))
    """
    assert fresh_lua(source) == (
        "tds.Vec\t10\t20\n5\t2\tnil\ttds.Vec\n"
        "1 2 3 4 5 tds.Vec\ttds.Hash\ttds.Hash\tcdata\tuserdata\n"
    )


def test_what_is_saved_is_read_with_what_it_shares(fresh_lua: Lua, tmp_path: Path) -> None:
    source = f"""
    local tds = require 'tds'
    local t = torch.range(1, 3)
    local h = tds.Hash {{ t = t, list = tds.Vec('a', 2, true) }}
    local c = tds.AtomicCounter()
    c:set(7)
    for _, mode in ipairs {{ 'binary', 'ascii' }} do
       torch.save('{tmp_path}/x', {{ h, h, t, c }}, mode)
       local l = torch.load('{tmp_path}/x', mode)
       l[3][1] = 9
       print(l[1] == l[2], l[1].t[1], #l[1].list, l[1].list[1], l[4]:inc(), l[4]:get())
    end
    """
    assert fresh_lua(source) == "true\t9\t3\ta\t7\t8\n" * 2


def test_texts(fresh_lua: Lua) -> None:
    source = "local tds = require 'tds' print(tds.Hash { b = 2, a = tds.Vec(1) })"
    assert fresh_lua(source) == "tds.Hash[2]{\na : tds.Vec[1]{\n        1 : 1\n    }\nb : 2\n}\n"


def test_texts_of_the_original(fresh_lua: Lua) -> None:
    source = """
    local tds = require 'tds'
    print(tds.AtomicCounter())
    print(tds.Hash{a = 1, long = true})
    local v = tds.Vec{1, 2}
    print(v)
    for i = 1, 30 do v[i] = i end
    print(select(2, tostring(v):gsub('\\n', '')), tostring(v):match('%.%.%.\\n}$') ~= nil)"""
    assert fresh_lua(source).splitlines() == [
        "tds.AtomicCounter=0",
        *("tds.Hash[2]{", "a    : 1", "long : true", "}"),
        *("tds.Vec[2]{", "    1 : 1", "    2 : 2", "}"),
        "22\ttrue",
    ]


def test_pairs_of_tables_stay_as_they_were(fresh_lua: Lua) -> None:
    source = """
    require 'tds'
    for key, value in pairs { x = 1 } do print(key, value) end
    for i, value in ipairs { 'a' } do print(i, value) end
    print(pcall(pairs, 5))
    """
    assert fresh_lua(source).startswith("x\t1\n1\ta\nfalse\tbad argument #1")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("tds.Vec()[0] = 1", "index must be from 1 to 67108864 (got 0)"),
        ("tds.Vec(-5)", "tds.Vec: arguments must be elements (got -5)"),
        ("tds.Vec():insert(3, 'x')", "insert: index must be from 1 to 1 (got 3)"),
        ("tds.Vec(1):remove(0)", "remove: index must be from 1 to 1 (got 0)"),
        ("tds.Vec():resize('x')", "Vec:resize: the size must be a number (got 'x')"),
        ("tds.Vec(1):concat({})", "Vec:concat: the separator must be a string (got table {})"),
        ("tds.Vec()[1e10] = 1", "index must be from 1 to 67108864 (got 10000000000)"),
        ("tds.Vec():resize(1e10)", "must be a whole number from 0 to 67108864 (got 10000000000)"),
        ("tds.Vec(2, 1):sort(3)", "Vec:sort: the order must be a function (got 3)"),
        ("tds.Vec():write(3)", "Vec:write: file must be a torch.File (got 3)"),
        (
            "torch.getmetatable('tds.Hash').read(tds.Hash(), {})",
            "Hash:read: file must be a torch.File (got table {})",
        ),
        ("tds.AtomicCounter():write()", "AtomicCounter:write: file must be a torch.File (got nil)"),
        ("tds.Hash()[{}] = 1", "key must be a number, string, boolean, tensor or object of tds (got table)"),
        ("tds.Hash()[0/0] = 1", "tensor or object of tds (got nan)"),
        (
            "require('threads').serialization('threads.sharedserialize') local h = tds.Hash() "
            "h[torch.ones(1)] = 1 require('threads').Threads(1):addjob(function() return h end)",
            "keys must be numbers, strings or booleans if threads share the hash (got torch.DoubleTensor",
        ),
        ("tds.Hash().x = print", "object of tds (got function)"),
        ("tds.Hash(5)", "tds.Hash: argument 1 must be a table (got 5)"),
    ],
)
def test_wrong_calls(fresh_lua: Lua, call: str, message: str) -> None:
    assert message in fresh_lua(f"tds = require 'tds' print(pcall(function() {call} end))")


def test_tensors_and_objects_are_keys_by_their_identity(lua: Lua) -> None:
    """As printed by the original."""
    program = """
    tds = require 'tds'
    local h, x, y, v = tds.Hash(), torch.Tensor{1, 2}, torch.Tensor{1, 2}, tds.Vec{1}
    h[x], h[v] = 1, 'v'
    print(#h, h[x], h[y], h[v], h[tds.Vec{1}])
    h[y] = 2
    local sum = 0
    for key, value in pairs(h) do
        if value ~= 'v' then sum = sum + key:sum() * value end
    end
    print(#h, h[x], h[y], sum)
    h[tds.Vec{x}[1]] = nil
    print(#h, h[x])
    local file = torch.MemoryFile()
    file:writeObject(h)
    file:seek(1)
    local again = file:readObject()
    print(#again, again[y])
    """
    assert lua(program) == "2\t1\tnil\tv\tnil\n3\t1\t2\t9\n2\tnil\n2\tnil\n"


def test_names_of_the_original(lua: Lua) -> None:
    program = """
    local tds = require 'tds'
    local h = tds.hash()
    print(h.new, h.read, h.write, h.size)
    h.write = 3
    print(h.write, torch.deserialize(torch.serialize(h)).write)
    print(torch.type(tds.vec()), torch.type(tds.atomic_counter()))
    local v = tds.Vec.__new(5, 6)
    for i, value in tds.Vec.__ipairs(v) do io.write(i, ':', value, ' ') end
    for i, value in tds.Vec.__pairs(v) do io.write(i, ':', value, ' ') end
    for key, value in tds.Hash.__pairs(tds.Hash.__new{a = 1}) do io.write(key, ':', value, ' ') end
    print(tds.Hash.__write == tds.Hash.write, tds.AtomicCounter.__read == tds.AtomicCounter.read)"""
    lines = lua(program).splitlines()
    assert lines[:3] == ["nil\tnil\tnil\tnil", "3\t3", "tds.Vec\ttds.AtomicCounter"]
    assert lines[3] == "1:5 2:6 1:5 2:6 a:1 true\ttrue"


def test_a_hash_has_the_order_of_keys_of_the_original(lua: Lua) -> None:
    # What tds of Torch7 printed.
    assert (
        lua("""
        local h, names = require 'tds'.Hash(), {}
        for i = 1, 12 do h['key' .. i] = i end
        for i = 2, 8, 2 do h['key' .. i] = nil end
        h[3] = 'x' h[0.5] = 'y' h[true] = 'z' h.key1 = 7
        local copy = torch.deserialize(torch.serialize(h))
        for k in pairs(copy) do names[#names + 1] = tostring(k) end
        local first = {} for k in pairs(h) do first[#first + 1] = tostring(k) end
        print(table.concat(first, ' ')) print(#names)
    """)
        == "true key9 key7 key5 key3 key1 key12 3 key10 key11 0.5\n11\n"
    )
