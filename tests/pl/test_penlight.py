"""pl (the parts of Penlight that scripts use) and lfs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ..conftest import Run

Lua = Callable[[str], str]

EXPRESSIONS = [
    ("pl.stringx.strip('  x y ')", "x y"),
    ("pl.stringx.strip('..x..', '.')", "x"),
    ("pl.stringx.split('a,b,,c', ',')", "{a,b,,c}"),
    ("pl.stringx.split(' a  b ')", "{a,b}"),
    ("pl.stringx.split('a,b,c', ',', 2)", "{a,b,c}"),
    ("pl.stringx.startswith('model.t7', 'mod')", "true"),
    ("pl.stringx.endswith('model.t7', {'.lua', '.t7'})", "true"),
    ("pl.stringx.replace('a.b.c', '.', '%')", "a%b%c"),
    ("pl.stringx.count('banana', 'an')", "2"),
    ("pl.stringx.center('x', 4, '-')", "-x--"),
    ("pl.stringx.rfind('a/b/c', '/')", "4"),
    ("pl.stringx.join(', ', {'a', 'b'})", "a, b"),
    ("pl.stringx.title('hello world')", "Hello World"),
    ("pl.stringx.splitlines('a\\n\\nb\\n')", "{a,,b}"),
    ("select(3, pl.stringx.partition('key=val=x', '='))", "val=x"),
    ("pl.tablex.keys{a = 1}", "{a}"),
    ("pl.tablex.map('_ * 2', {1, 2})[2]", "4"),
    ("pl.tablex.map('|x, y| x + y', {1, 2}, 10)[1]", "11"),
    ("pl.tablex.reduce('+', {1, 2, 3})", "6"),
    ("pl.tablex.filter({1, 2, 3, 4}, '>', 2)", "{3,4}"),
    ("pl.tablex.find({'a', 'b'}, 'b')", "2"),
    ("pl.tablex.deepcompare({1, {x = 2}}, {1, {x = 2}})", "true"),
    ("pl.tablex.deepcompare({1, {x = 2}}, {1, {x = 3}})", "false"),
    ("pl.tablex.size{1, 2, x = 3}", "3"),
    ("pl.tablex.sub({1, 2, 3, 4}, 2, -2)[2]", "3"),
    ("pl.tablex.zip({1, 2}, {3, 4})[2][2]", "4"),
    ("#pl.tablex.range(1, 10, 3)", "4"),
    ("pl.List{3, 1, 2}:sort():reverse()", "{3,2,1}"),
    ("pl.List.range(3):map('_ ^ 2')", "{1,4,9}"),
    ("pl.List{1, 2} .. pl.List{3}", "{1,2,3}"),
    ("pl.List{1, 2} == pl.List{1, 2}", "true"),
    ("pl.Set{1, 2} * pl.Set{2, 3}", "[2]"),
    ("pl.path.join('a', 'b/', 'c.t7')", "a/b/c.t7"),
    ("pl.path.join('a', '/b')", "/b"),
    ("pl.path.basename('/a/b.t7')", "b.t7"),
    ("pl.path.dirname('/a/b.t7')", "/a"),
    ("pl.path.extension('/a.b/c.t7')", ".t7"),
    ("pl.path.normpath('/a/./b/../c//d')", "/a/c/d"),
    ("pl.path.normpath('a/../../b')", "../b"),
    ("pl.OrderedMap():set('z', 1):set('a', 'x')", '{z=1,a="x"}'),
    ("pl.path.relpath('/a/b/c', '/a/d')", "../b/c"),
    ("pl.path.exists('/no/such')", "false"),
    ("pl.path.isdir('/')", "true"),
    ("pl.pretty.write({1, {x = 'y'}, [true] = 1.5}, '')", '{1,{x="y"},["true"]=1.5}'),
    ("pl.pretty.read('{1, x = {2}}').x[1]", "2"),
    ("pl.pretty.number(1234567, 'T')", "1,234,567"),
    ("pl.types.is_empty{}", "true"),
    ("pl.utils.split('a b', ' ')[2]", "b"),
    ("pl.List(pl.utils.split(' a b '))", "{,a,b}"),
    ("#pl.stringx.split('', ',')", "0"),
    ("pl.stringx.split(',', ',')", "{}"),
    ("pl.stringx.split('a,', ',')", "{a,}"),
    ("pl.List'abc'", "{a,b,c}"),
    ("(function() local t = {1} return pl.List(t) == t end)()", "true"),
    ("pl.List{1, 2, 3, 4}:slice_assign(2, 3, {9, 8, 7})", "{1,9,8,7,4}"),
    ("pl.List{1, 2, 3}:slice_assign(-1, -1, {})", "{1,2}"),
    ("pl.List{'a', 'b'}:mapm('upper')", "{A,B}"),
    ("pl.OrderedMap{{z = 1}, {y = 2}, {x = 3}}", "{z=1,y=2,x=3}"),
    ("pl.OrderedMap{{z = 1}, {y = 2}}:sort():keys()", "{y,z}"),
    ("pl.text.dedent('  a\\n    b\\n  c'):gsub('\\n', '/')", "a/  b/c/"),
    ("pl.text.indent('a\\nb', 2):gsub('\\n', '/')", "  a/  b/"),
    ("pl.text.wrap('the quick brown fox jumps', 9)", "{the quick brown,fox jumps}"),
    ("#pl.text.fill('a b c', 3)", "6"),
    ("pl.text.Template('$a$b ${a}s }'):substitute{a = 1, b = 'x'}", "1x 1s }"),
    ("pl.text.Template('$a ${no}'):safe_substitute{a = 1}", "1 no"),
    (
        "select(2, pcall(function() pl.text.Template'$no':substitute{} end))",
        "test:1: not present in table no",
    ),
]


@pytest.mark.parametrize(("source", "expected"), EXPRESSIONS)
def test_expressions(lua: Lua, source: str, expected: str) -> None:
    assert lua(f"print(({source}))") == expected + "\n"


def test_pretty_writes_what_lua_reads(lua: Lua) -> None:
    printed = lua("""
        local t = { 1, 'two', { three = { 3 } }, ['not a name'] = false, ['end'] = 'a\\nb' }
        local text = pl.pretty.write(t)
        print(text)
        print(pl.tablex.deepcompare(pl.pretty.read(text), t), pl.pretty.read('{ os.exit() }'))
    """)
    assert "\n  {\n    three = {\n      3\n    }\n  }" in printed
    assert printed.splitlines()[-1].startswith("true\tnil")


def test_classes(lua: Lua) -> None:
    printed = lua("""
        local Animal = pl.class()
        function Animal:_init(name) self.name = name end
        function Animal:__tostring() return self.name .. ' says ' .. self:speak() end
        local Dog = pl.class(Animal)
        function Dog:speak() return 'bark' end
        local Lab = pl.class(Dog)
        function Lab:_init(name) self:super(name .. '!') end
        local lab = Lab('Ann')
        print(Dog('Rex'), lab, lab:is_a(Animal), Dog:class_of(Animal('x')))
    """)
    assert printed == "Rex says bark\tAnn! says bark\ttrue\tfalse\n"


def test_constructors_call_those_of_their_bases(lua: Lua) -> None:
    printed = lua("""
        local A = pl.class()
        function A:_init(x) self.a = x end
        local B = pl.class(A)
        function B:_init(x) self:super(x + 1) self.b = x end
        local C = pl.class{_base = B, _init = function(self, x) self:super(x + 1) self.c = x end}
        local D = pl.class(C)
        local d = D(1)
        print(d.a, d.b, d.c, d.super, A:class_of(d), d:is_a() == D)
    """)
    assert printed == "3\t2\t1\tnil\ttrue\ttrue\n"


def test_classes_of_lists_and_of_missing_fields(lua: Lua) -> None:
    printed = lua("""
        local Queue = pl.class(pl.List)
        function Queue:first() return self[1] end
        local queue = Queue{4, 5}
        print(queue:append(6):first(), queue, queue:slice(2, 3):first(), pl.List:class_of(queue))
        local Open = pl.class()
        Open:catch(function(_, name) return 'no ' .. name end)
        print(Open().field, pl.class(Open)().other)
        local Made = pl.class{_create = function(x) return {made = x} end}
        print(Made(7).made, Made:cast({made = 8}):is_a(Made))
    """)
    assert printed == "4\t{4,5,6}\t5\ttrue\nno field\tno other\n7\ttrue\n"


def test_ordered_maps_forget_what_is_set_to_nil(lua: Lua) -> None:
    printed = lua("""
        local map = pl.OrderedMap()
        map.x, map.y = 1, 2
        map.x = nil
        map.z = 3
        map.x = 4
        map:set('y', nil):insert(1, 'w', 0)
        print(map, map:keys(), map:values(), map:len())
    """)
    assert printed == "{w=0,z=3,x=4}\t{w,z,x}\t{0,3,4}\t3\n"


def test_flags_may_be_repeated(lua: Lua) -> None:
    printed = lua("""
        local lapp = require 'pl.lapp'
        local text = ' -v,--verbose... talk\\n -q quiet\\n -I,--include... (string) folders\\n'
        local o = lapp(text, { '-vvq', '-v', '-I', 'a', '--include=b' })
        print(#o.verbose, o.q, table.concat(o.include, '+'))
    """)
    assert printed == "3\ttrue\ta+b\n"


def test_an_installed_penlight_comes_first(t7: Callable[..., object], tmp_path: Path) -> None:
    (tmp_path / "pl").mkdir()
    (tmp_path / "pl" / "stringx.lua").write_text("return {mine = 'installed'}")
    (tmp_path / "pl" / "Date.lua").write_text("return 'a module that ours lacks'")
    source = "print(require('pl.stringx').mine, pl.stringx.mine, pl.Date, pl.List{1}, pl.nothing)"
    done = t7("-e", source, env={"LUA_PATH": f"./?.lua;{tmp_path}/?.lua"})
    assert done.stdout == "installed\tinstalled\ta module that ours lacks\t{1}\tnil\n"  # type: ignore[attr-defined]


@pytest.mark.parametrize("first", ["", "require 'pl'"])
def test_modules_are_globals(t7: Callable[..., object], first: str) -> None:
    source = "path = 'mine' print(path, stringx.strip(' x '), tablex.size{1}, no_name, rawget(_G, 'tablex'))"
    source += " print(data, text)"
    done = t7("-e", f"{first} {source}")
    assert done.stdout == "mine\tx\t1\tnil\tnil\nnil\tnil\n"  # type: ignore[attr-defined]


def test_data_and_text_are_globals_in_th_alone(t7: Callable[..., object]) -> None:
    source = "print(data, text) torch.dialect 'th' io.write(tostring(data == pl.data), type(text.dedent))"
    done = t7("-e", source)
    assert done.stdout == "nil\tnil\ntruefunction"  # type: ignore[attr-defined]


def test_globals_are_of_an_installed_penlight(t7: Callable[..., object], tmp_path: Path) -> None:
    (tmp_path / "pl").mkdir()
    (tmp_path / "pl" / "Date.lua").write_text("return 'a module that ours lacks'")
    (tmp_path / "pl" / "other.lua").write_text("return 'no name of Penlight'")
    done = t7("-e", "print(Date, other, data)", env={"LUA_PATH": f"./?.lua;{tmp_path}/?.lua"})
    assert done.stdout == "a module that ours lacks\tnil\tnil\n"  # type: ignore[attr-defined]


def test_command_lines_by_help_text(lua: Lua, t7: Callable[..., object]) -> None:
    text = """
        Trains a model.
          -s,--save          (default "logs")      where to save
          -b,--batchSize     (default 10)          size
          -r,--rate          (number)              learning rate
          --type             (float|double|cuda default float)  type
          -f                 (0..1 default 0.5)
          -v,--verbose       talk
          -p,--plot                                plot (not here)
          <input>            (string)              a file
          <rest...>          (default x)           more
    """
    printed = lua(f"""
        local lapp = require 'pl.lapp'
        local words = {{ '-r', '0.1', '--batchSize=5', '-v', '--type', 'double', 'in.t7', 'a', 'b' }}
        local o = lapp([[{text}]], words)
        print(o.save, o.batchSize, o.rate, o.type, o.f, o.verbose, o.plot, o.input, table.concat(o.rest, '+'))
    """)
    assert printed == "logs\t5\t0.1\tdouble\t0.5\ttrue\tfalse\tin.t7\ta+b\n"
    for words, mistake in (
        ("'-r', 'x', 'i'", "unable to convert"),
        ("'i'", "missing required parameter: rate"),
        ("'-r', '1', '-f', '2', 'i'", "out of range"),
        ("'-x'", "unrecognized parameter: x"),
        ("'-r', '1', '--type', 'half', 'i'", "not in float|double|cuda"),
    ):
        done = t7("-e", f"require 'pl.lapp' ([[{text}]], {{ {words} }}) print('on')")
        assert done.returncode == 1  # type: ignore[attr-defined]
        assert mistake in done.stderr  # type: ignore[attr-defined]


def test_folders(lua: Lua, tmp_path: Path) -> None:
    printed = lua(f"""
        local dir, file, path = pl.dir, pl.file, pl.path
        local root = '{tmp_path}/a'
        assert(dir.makepath(root .. '/b/c'))
        assert(file.write(root .. '/b/x.lua', 'text') and file.copy(root .. '/b/x.lua', root .. '/b/c'))
        assert(file.write(root .. '/b/y.t7', ''))
        local files, folders = dir.getfiles(root .. '/b', '*.lua'), dir.getdirectories(root)
        print(files:map(path.basename), folders:map(path.basename))
        print(dir.getallfiles(root):map(path.basename), file.read(root .. '/b/c/x.lua'))
        print(lfs == require 'lfs', lfs.attributes(root .. '/b/x.lua').size)
        assert(file.move(root .. '/b/y.t7', root .. '/z.t7'))
        print(path.getsize(root .. '/z.t7'), path.isfile(root .. '/b/y.t7'))
        assert(dir.rmtree(root))
    """)
    assert printed.splitlines() == [
        "{x.lua}\t{b}",
        "{x.lua,x.lua,y.t7}\ttext",
        "true\t4",
        "0\tfalse",
    ]
    assert os.listdir(tmp_path) == []


def test_lfs(lua: Lua, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("12345")
    printed = lua(f"""
        local lfs = require 'lfs'
        local here = lfs.currentdir()
        print(lfs.chdir('{tmp_path}'), lfs.currentdir() == '{tmp_path}')
        print(lfs.attributes('file', 'size'), lfs.attributes('file').mode, lfs.attributes('none') == nil)
        print(lfs.touch('file', 1000, 2000), lfs.attributes('file', 'modification'))
        local linked = lfs.link('file', 'link', true)
        print(linked, lfs.symlinkattributes('link', 'mode'), lfs.attributes('link', 'mode'))
        print(lfs.mkdir('folder'), lfs.mkdir('folder') == nil, lfs.rmdir('folder'))
        local names = {{}}
        for name in lfs.dir('.') do names[#names + 1] = name end
        table.sort(names)
        print(table.concat(names, ' '), pcall(lfs.dir, 'none'))
        lfs.chdir(here)
    """)
    lines = printed.splitlines()
    assert lines[:5] == [
        "true\ttrue",
        "5\tfile\ttrue",
        "true\t2000",
        "true\tlink\tfile",
        "true\ttrue\ttrue",
    ]
    assert lines[5].startswith(". .. file link\tfalse\t")


def test_formats_by_an_operator(lua: Lua) -> None:
    source = """
    local before = getmetatable('').__mod
    require('pl.text').format_operator()
    print('%d of %s %%' % {3, {} and 'four'}, '%5.2f' % math.pi, '%s' % torch.Tensor{1}:size():size())
    print('$name is ${n}' % {name = 'x', n = 2}, '$a' % function(name) return name:upper() end)
    print('%s' % pl.List{1})
    getmetatable('').__mod = before
    """
    assert lua(source) == "3 of four %\t 3.14\t1\nx is 2\tA\n{1}\n"


def test_rows_of_delimited_files(lua: Lua, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('name, x ,note\na,1,"p, q"\n\nb,2.5,r\r\n')
    (tmp_path / "b.txt").write_text("  1 2\n 3  4\n")
    printed = lua(f"""
    local d = require('pl.data').read('{tmp_path}/a.csv', {{csv = true}})
    print(#d, d.fieldnames, d:column_by_name('x'), d[1][3])
    for note, name in d:select('note, name') do print(note, name) end
    d:copy_select('x,name'):write('{tmp_path}/c.csv')
    local text = pl.data.read('{tmp_path}/a.csv', {{csv = true, no_convert = true}})
    local plain = pl.data.read('{tmp_path}/b.txt', {{fieldnames = 'u,v'}})
    print(type(text[1][2]), plain:column_by_name 'v', pl.data.read('{tmp_path}/none'))
    print(select(2, pcall(function() return d:column_by_name 'y' end)))
    """)
    assert printed.splitlines() == [
        '2\t{name,x,note}\t{1,2.5}\tp, q', "p, q\ta", "r\tb",
        f"string\t{{2,4}}\tnil\t{tmp_path}/none: No such file or directory", "test:9: no column 'y'",
    ]  # fmt: skip
    assert (tmp_path / "c.csv").read_text() == "x,name\n1,a\n2.5,b\n"


def test_strict_finds_undeclared_variables(t7: Run, tmp_path: Path) -> None:
    script = tmp_path / "main.lua"
    script.write_text("""
    require 'pl.strict'
    require 'nn'
    rate, later = 1, nil
    local function set() rate = 2 end
    local function create() other = 1 end
    local function read() return lerning_rate end
    set()
    print(rate, later, pcall(create), pcall(read), nn.Linear(2, 2), List{1})
    print(select(2, pcall(read)))
    """)
    run = t7(str(script), cwd=tmp_path)
    first, second = run.stdout.splitlines()
    assert first.split("\t") == ["2", "nil", "false", "false", "nn.Linear(2 -> 2)", "{1}"]
    assert second.endswith("main.lua:7: variable 'lerning_rate' is not declared") and run.stderr == ""


def test_methods_of_strings(lua: Lua) -> None:
    source = """
    local before = {}
    for name, f in pairs(string) do before[name] = f end
    require('pl.stringx').import()
    print(('key = x'):startswith('key'), (' x '):lstrip(), #('a b  c'):split())
    for name in pairs(string) do string[name] = before[name] end
    """
    assert lua(source) == "true\tx \t3\n"


@pytest.mark.parametrize("call", ["mkdir()", "rmdir()", "dir()", "attributes()", "chdir()", "touch()"])
def test_lfs_takes_names(lua: Lua, call: str) -> None:
    name = f"lfs.{call[:-2]}"
    printed = lua(f"print(select(2, pcall(function() return require 'lfs'.{call} end)))")
    assert f"{name}: argument 1 must be a string (got nil)" in printed


def test_import_into_lets_modules_be_read_in_a_table(lua: Lua) -> None:
    printed = lua("""
        local pl = require 'pl.import_into'()
        print(pl.List{1, 2}, pl.stringx.strip ' a ', pl.nothing)
        local env = setmetatable({ tablex = 'own' }, { __index = { more = 3 } })
        require 'pl.import_into'(env)
        print(env.tablex, env.more, env.path.basename 'a/b')
        local function f() return stringx.strip ' b ' end
        setfenv(f, pl)
        print(f())
    """)
    assert printed == "{1,2}\ta\tnil\nown\t3\tb\nb\n"


def test_app_finds_modules_beside_the_script(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "part.lua").write_text("return 'the part'")
    script = tmp_path / "main.lua"
    script.write_text("""
        local app = require 'pl.app'
        print(app.require_here 'lib' == paths.concat(paths.dirname(paths.thisfile()), 'lib'), require 'part')
        local flags, rest = app.parse_args(nil, { 'n', rate = true })
        print(flags.v, flags.x, flags.n, flags.rate, flags.name, flags.long, table.concat(rest, ' '))
        print(app.parse_args({ '-n' }, { 'n' }))
    """)
    done = t7(str(script), "-vx", "-n", "3", "--rate", "0.5", "--name=a:b", "--long", "word", "last", cwd="/")
    assert done.stdout == "true\tthe part\ntrue\ttrue\t3\t0.5\ta:b\ttrue\tword last\nnil\tno value for 'n'\n"


def test_lapp_reads_texts_as_the_original(lua: Lua) -> None:
    # What Penlight printed: a default false is a text, parentheses are behind the name, characters of
    # the names of arguments that are no letters become _, and a last line without an end is not read.
    printed = lua("""
        local text = '--lr (number) rate\\n --flag (default false) x\\n --on later (default 5)\\n'
        text = text .. '<n1> (string) x\\n'
        local words = { '--lr=3', 'z', 'y' }
        local o = pl.lapp(text .. '--lost (number)', words)
        print(o.lr, type(o.flag), o.flag, o.on, o.n_, o[1], table.concat(words, ' '))
    """)
    assert printed == "3\tstring\tfalse\tfalse\tz\ty\t--lr=3 3 z y\n"


def test_results_of_penlight(lua: Lua) -> None:
    # What Penlight 1.5.2 printed.
    printed = lua("""
        local path, stringx, tablex, List, text = pl.path, pl.stringx, pl.tablex, pl.List, pl.text
        print(path.dirname('/a') .. '|' .. path.join('a', ''), path.normpath '/..', path.extension '.x')
        print(path.common_prefix('/a/b/c', '/a/b'), path.relpath('x/y', '/a'), (path.splitpath '/'))
        print(stringx.rpartition('abc', 'l'), stringx.count('aaa', 'aa'), stringx.count('ab', ''))
        print(stringx.rfind('aaa', 'aa'), stringx.quote_string 'a\\nb]]', #stringx.split(',a,b,', ',', 2))
        print(pl.utils.escape '"a.b"', List{}:minmax(), tablex.reduce('+', {}, 3))
        print(tablex.makeset{'a', 'a'}.a[2], tablex.index_map{'x', 'y', 'x'}.x[2], tablex.transform('_', {1}))
        print(List{1, 2, 3}:chop(-2), List.iterate('ab')(), List{'x'}:splice(1, List{4, 5}))
        print(tablex.sub({1, 2, 3}, 2))
        print(text.wrap('the quick brown fox jumps', 9), text.dedent '', pl.pretty.write{})
        print(pl.Set{1} + 5, pl.Set{1, 2} - 2, pl.pretty.write({[true] = 1, ['[x'] = {0.1, 'a\\nb'}}, ''))
    """)
    assert printed == (
        "|a/\t/..\t.x\n"
        "/a/b\tx/y\t\n"
        "abc\t1\t2\n"
        "1\t[=[a\n"
        "b]]]=]\t3\n"
        '"a%.b"\t1e+70\t3\n'
        "true\t3\n"
        "{1}\ta\t{4,5,x}\n{2,3}\n"
        "{the quick brown,fox jumps}\t\n"
        "\t{\n"
        "}\n"
        '[1,5]\t[1]\t{["[x"]={0.1,[[a\n'
        'b]]},["true"]=1}\n'
    )


def test_words_and_functions_as_penlight_takes_them(lua: Lua) -> None:
    # What Penlight 1.5.2 printed.
    printed = lua("""
        local app, data, stringx, utils = require 'pl.app', require 'pl.data', pl.stringx, pl.utils
        local flags, rest = app.parse_args{'-n10', '--out=20', '-abc', 'one'}
        print(flags.n, flags.out, flags.a, flags.c, rest[1], stringx.startswith('abc', {'x', 'ab'}))
        for line in stringx.lines 'a\\n\\nb' do io.write('[', line, ']') end
        print(pcall(utils.function_arg, 1, {}))
        print(data.new{{1, 2}, {3, 4}}:column_by_name(2), pl.types.is_indexable 'x')
        local into = {_x = 1} utils.import({_x = 2, _y = 3}, into) print(into._x, into._y)
    """)
    assert printed == (
        "10\t20\ttrue\ttrue\tone\ttrue\n[a][][b]false\tnot a callable object\n{2,4}\tnil\n1\t3\n"
    )
