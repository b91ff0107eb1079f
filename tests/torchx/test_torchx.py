"""torchx: the queue, and work on nested tables."""

from __future__ import annotations

from collections.abc import Callable

Lua = Callable[[str], str]


def test_a_queue(lua: Lua) -> None:
    source = """
    local torchx = require 'torchx'
    local q = torchx.Queue()
    q:put(3) q:put('b')
    print(q:get(), q:empty(), q:get(), q:empty(), (pcall(q.get, q)))
    """
    assert lua(source) == "3\tfalse\tb\ttrue\tfalse\n"


def test_fields_of_a_queue(lua: Lua) -> None:
    """They are those of the original, so that queues in its files keep their order."""
    source = """
    local q = require('torchx').Queue()
    q:put('a') q:put('b') q:put('c')
    print(q.first, q.last, q.list[-1], q.list[-3], q:get(), q.first, q.last)
    """
    assert lua(source) == "-3\t-1\ta\tc\ta\t-3\t-2\n"


def test_nested_tables(lua: Lua) -> None:
    source = """
    require 'torchx'
    local t = {torch.range(1, 6):view(3, 2), {torch.range(1, 3)}}
    print(torchx.recursiveBatchSize(t), torchx.recursiveSize(t)[1][2])
    local rows = torchx.recursiveIndex(nil, t, 1, torch.LongTensor{3, 1})
    print(rows[1][1][2], rows[2][1][2])
    local part = torchx.recursiveSub(t, 2, 3)
    part[1]:fill(9)
    print(t[1][3][1], part[2][1]:size(1), torchx.recursiveTensorEq(t, torchx.recursiveCopy(nil, t)))
    """
    assert lua(source) == "3\t2\n6\t1\n9\t2\ttrue\n"


def test_parts_that_the_source_lacks(lua: Lua) -> None:
    source = """
    require 'torchx'
    local x = torch.ones(2)
    for _, name in ipairs{'recursiveCopy', 'recursiveSet', 'recursiveResizeAs'} do
        local t = torchx[name]({torch.zeros(3), 7, k = 8}, {x})
        print(t[1]:size(1), t[2], t.k)
    end
    local t = {x:clone(), {x:clone()}}
    print(torchx.recursiveNormal(t) == t, torchx.recursiveTensorEq(x, {x}))
    local sizes = torchx.recursiveSize({torch.ones(2, 3, 4), x}, 3)
    print(#sizes[1], #sizes[2])
    """
    assert lua(source) == "2\t7\t8\n" * 3 + "true\tfalse\n2\t1\n"


def test_json(lua: Lua) -> None:
    source = """
    require 'torchx'
    local json = torch.json
    print(json.encode{a = {1, json.null, 'x/y'}}, json.encode{}, json.encode(1 / 0))
    local value, position = json.decode('{"a": [1, null, "x"], "b": null}')
    print(value.a[2], value.a[3], value.b, position)
    print(json.decode('[1] x')[1], json.decode('7 8', 2), json.decode('null', 1, 'none'))
    print(json.decode('[1,'))
    print(json.decode('[1] {"a" 2}', 4))
    """
    assert lua(source) == (
        '{"a":[1,null,"x/y"]}\t[]\tnull\nnil\tx\tnil\t33\n1\t8\tnone\t5\n'
        "nil\t4\tExpected value but found T_END at character 4\n"
        "nil\t10\tExpected colon but found T_NUMBER at character 10\n"
    )


def test_options_of_json(lua: Lua) -> None:
    """As printed by the original."""
    source = r"""
    require 'torchx'
    local json = torch.json
    print(json.encode({b = {1, {}}, a = {c = 1}, [1] = 0}, {indent = true, keyorder = {1, 'a', 'b'}}))
    print(json.encode({a = 1}, {indent = true, level = 2}))
    print(json.encode(setmetatable({x = 1, y = 2}, {__jsonorder = {'y', 'x'}})))
    print(json.encode(setmetatable({}, {__jsontype = 'object'})), json.encode((json.decode('{"a": []}'))))
    print(json.encode((json.decode('{}'))), json.encode((json.decode('{}', 1, nil, nil, nil))))
    print(json.encode({setmetatable({}, {__tojson = function() return '"own"' end}), [3] = 1}))
    print(json.encode({n = 3}), json.encode({[14] = 7}), json.encode({[10] = 7}))
    print(json.encode('\226\128\168\194\173\127/\195\169'), json.quotestring('\8\11'))
    print(select(2, pcall(json.encode, {print})):match('type.*'))
    print(json.encode({tostring}, {exception = json.encodeexception}))
    local loop = {}
    loop[1] = loop
    print(select(2, pcall(json.encode, loop)):match('[^:]*$'))
    print(select(2, pcall(json.encode, {[true] = 1})):match('type.*'))
    local state = {buffer = {}}
    print(json.encode({1, 2}, state), state.bufferlen, table.concat(state.buffer))
    """
    assert lua(source) == r"""{
  "1":0,
  "a":{
    "c":1
  },
  "b":[1,[]]
}
{
      "a":1
    }
{"y":2,"x":1}
{}	{"a":[]}
{}	[]
["own",null,1]
[null,null,null]	{"14":7}	[null,null,null,null,null,null,null,null,null,7]
"\u2028\u00ad\u007f/é"	"\b\u000b"
type 'function' is not supported by JSON.
["<type 'function' is not supported by JSON.>"]
reference cycle
type 'boolean' is not supported as a key by JSON.
true	5	[1,2]
"""


def test_wrong_options_of_json(lua: Lua) -> None:
    """1000 tables, the outermost among them, have two brackets each."""
    source = """
    require 'torchx'
    local json = torch.json
    local function message(...) print((select(2, pcall(...)):gsub('^.-:%d+: ', ''))) end
    for key, value in pairs { level = 'a', keyorder = 1, buffer = 'b', bufferlen = {}, exception = 5 } do
       message(json.encode, {print}, {[key] = value})
    end
    message(json.encode, setmetatable({a = 1}, {__jsonorder = 3}))
    message(json.decode, '{}', 1, nil, 5)
    local nested = 0
    for _ = 1, 1000 do nested = {nested} end
    print(#json.encode(nested))
    message(json.encode, {nested})
    """
    assert sorted(lua(source).splitlines()) == [
        "2001",
        "json.decode: metatable of objects must be a table (got 5)",
        "json.encode: buffer must be a table (got 'b')",
        "json.encode: bufferlen must be a number (got table {})",
        "json.encode: exception must be a function (got 5)",
        "json.encode: keyorder must be a table (got 1)",
        "json.encode: level must be a number (got 'a')",
        "more than 1000 nested tables",
        "the order of keys must be a table",
    ]
