"""csvigo against Python's csv module on the same files."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from t7shell import Runtime

ALPHABET = ["a", "b", '"', ",", "\n", " ", "é", "1", ";"]


def random_rows(seed: int) -> list[list[str]]:
    draw = random.Random(seed)
    width = draw.randint(2, 5)
    # A row of one empty field is an empty line, which is no row.
    return [
        ["x" + "".join(draw.choices(ALPHABET, k=draw.randint(0, 6))) for _ in range(width)] for _ in range(20)
    ]


def run(source: str, **values: object) -> Runtime:
    runtime = Runtime()
    for name, value in values.items():
        runtime.globals()[name] = value
    runtime.execute(source)
    return runtime


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_rows_that_python_wrote(tmp_path: Path, seed: int, separator: str) -> None:
    rows = random_rows(seed)
    path = tmp_path / "data.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=separator).writerows(rows)
    lua = run(
        """
        csvigo = require 'csvigo'
        raw = csvigo.load { path = path, separator = separator, mode = 'raw' }
        big = csvigo.load { path = path, separator = separator, mode = 'large' }
        large = {}
        for i = 1, #big do large[i] = big[i] end
        none = big[#big + 1] == nil and big[0] == nil
        """,
        path=str(path),
        separator=separator,
    ).globals()
    assert lua["raw"].to_list() == rows
    assert lua["large"].to_list() == rows
    assert lua["none"]


@pytest.mark.parametrize("seed", range(6))
def test_rows_that_python_reads(tmp_path: Path, seed: int) -> None:
    rows = random_rows(seed)
    path = tmp_path / "data.csv"
    run("require 'csvigo'.save { path = path, data = rows, mode = 'raw' }", path=str(path), rows=rows)
    with path.open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == rows


TABLE = "name,age\nann,31\nbob,45\ncy,31\n"


def test_columns_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    lua = run(
        """
        csvigo = require 'csvigo'
        order, columns = csvigo.load { path = path, column_order = true }
        simple = csvigo.load(path)
        ages = torch.Tensor(simple.age):sum()
        headless = csvigo.load { path = path, skip = 1, header = false, nrows = 2 }
        """,
        path=str(path),
    ).globals()
    assert lua["columns"].to_dict() == {"name": ["ann", "bob", "cy"], "age": ["31", "45", "31"]}
    assert lua["order"].to_list() == ["name", "age"]
    assert lua["ages"] == 107
    assert lua["headless"].to_dict() == {"var_1": ["ann", "bob"], "var_2": ["31", "45"]}


def test_a_first_row_with_numbers_names_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("1,x\r\n\r\n2,y\r\n")
    lua = run("t = require 'csvigo'.load(path)", path=str(path)).globals()
    # As Torch7 had it: an empty line is a row of one empty field.
    assert lua["t"].to_dict() == {"var_1": ["1", "", "2"], "var_2": ["x", "y"]}


def test_questions(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    lua = run(
        """
        local q = require 'csvigo'.load { path = path, mode = 'query' }
        vars, all = q 'vars', q 'all'
        either = q('union', { age = 45, name = { 'cy', 'nobody' } })
        both = q('inter', { age = '31', name = { 'ann', 'bob' } })
        """,
        path=str(path),
    ).globals()
    assert lua["vars"].to_list() == ["name", "age"]
    assert lua["all"]["name"].to_list() == ["ann", "bob", "cy"]
    assert lua["either"].to_dict() == {"name": ["bob", "cy"], "age": ["45", "31"]}
    assert lua["both"].to_dict() == {"name": ["ann"], "age": ["31"]}


def test_columns_and_matrices_are_written(tmp_path: Path) -> None:
    columns, matrix = tmp_path / "c.csv", tmp_path / "m.csv"
    run(
        """
        local csvigo = require 'csvigo'
        local data = { b = { 1, 0/0, 3 }, a = { 'x', 'y' } }
        local order = { 'b', 'a' }
        local options = { path = columns, data = data, column_order = order, separator = ';' }
        options.nan_as_missing = true
        csvigo.save(options)
        csvigo.save(matrix, torch.range(1, 6):view(2, 3))
        """,
        columns=str(columns),
        matrix=str(matrix),
    )
    assert columns.read_text() == "b;a\n1;x\n;y\n3;\n"
    assert [[float(x) for x in row] for row in csv.reader(io.StringIO(matrix.read_text()))] == [
        [1, 2, 3],
        [4, 5, 6],
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("load{}", "csvigo.load: path must be a string (got nil)"),
        ("load('/')", "csvigo.load: cannot read /: Is a directory"),
        ("load('/no/such/file')", "csvigo.load: cannot open /no/such/file: No such file or directory"),
        ("load{path = path, mode = 'neat'}", "mode must be 'tidy', 'raw', 'large' or 'query' (got 'neat')"),
        ("load(5)", "csvigo.load: path must be a string (got number)"),
        ("save{path = path}", "data must be a table or a tensor (got nil)"),
        ("save{path = path, data = {1, 2}, mode = 'raw'}", "row 1 must be a table (got number)"),
        ("load{path = broken}", "csvigo: quote at byte 3 is not closed"),
    ],
)
def test_wrong_calls(tmp_path: Path, call: str, message: str) -> None:
    path, broken = tmp_path / "t.csv", tmp_path / "b.csv"
    path.write_text(TABLE)
    broken.write_text('a,"b\nc')
    lua = run(f"_, why = pcall(function() require 'csvigo'.{call} end)", path=str(path), broken=str(broken))
    assert message in lua.globals()["why"]


def test_rows_of_a_file_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [*random_rows(3), ["1", "a,b", 'x"y\nz']]
    with path.open("w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows(rows)
    runtime = run(
        """
        require 'csvigo'
        local file = csvigo.File(path)
        list = {file:read()}
        for row in file.read, file do list[#list + 1] = row end
        file:close()
        all, some = csvigo.File(path):readall(), csvigo.File(path, 'r', ',', 2):readall()
        large = csvigo.File(path):largereadall()
        count, last = #large, large[#large][3]
        local copy = csvigo.File(path .. '2', 'w')
        copy:write(list[1])
        for i = 2, #list do copy:writeall{list[i]} end
        copy:close()
        """,
        path=str(path),
    )
    for name in ("list", "all"):
        assert runtime.eval(f"#{name}") == len(rows)
        for i, row in enumerate(rows):
            assert [runtime.eval(f"{name}[{i + 1}][{j + 1}]") for j in range(len(row))] == row
    assert runtime.eval("#some") == 2
    assert (runtime.eval("count"), runtime.eval("last")) == (len(rows), rows[-1][2])
    with (tmp_path / "a.csv2").open(newline="") as copy:
        assert list(csv.reader(copy)) == rows


def test_globals_of_the_original() -> None:
    runtime = run("require 'csvigo' require 'dpnn' require 'nnx' ok = csvigo.load and dok.usage and true")
    assert runtime.eval("ok")
    assert runtime.eval("dpnn.version") == 2
    assert runtime.eval("nnx.Linear == nn.Linear and require 'dpnn' == dpnn and xlua ~= nil")


def test_files_and_messages_as_the_original(lua: Callable[[str], str], tmp_path: Path) -> None:
    # What csvigo of Torch7 printed and wrote.
    path = tmp_path / "t.csv"
    printed = lua(f"""
        require 'csvigo'
        csvigo.save{{path = {str(path)!r}, data = {{{{'n', 'v'}}, {{'a,b', 0 / 0}}, {{'q"', 2}}}}}}
        local names, columns = csvigo.load({str(path)!r}, ',', 'tidy', true, false, 0, true)
        print(table.concat(names, ' '), table.concat(columns.n, '|'), columns.v[2])
        local big = csvigo.load{{path = {str(path)!r}, mode = 'large', verbose = false}}
        for i, row in ipairs(big) do io.write(i, ':', #row, ' ') end print(#big, type(big))
        print(csvigo.load{{path = {str(path)!r}, mode = 'query', verbose = false}}().v[1])
    """)
    assert printed == (
        f"<csv>\twriting to file: {path}\n<csv>\twriting done\n"
        'n v\ta,b|q"\t2\n1:2 2:2 3:2 3\ttable\nnan\n'
    )
    assert path.read_text() == 'n,v\n"a,b",nan\n"q""",2\n'


def test_help_of_queries_returns_nothing(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("a,b\n1,2\n")
    source = "q = require('csvigo').load{path = path, mode = 'query', verbose = false}"
    assert run(source, path=str(path)).eval("select('#', q('help'))") == 0
