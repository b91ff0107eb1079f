"""How the prompt shows values, errors and help: typed line by line into a pipe."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from t7shell.engine.engine import Engine
from tests.conftest import Run
from tests.prompt_fixtures import typed

SEED = Path(__file__).resolve().parents[1] / "conformance" / "packages" / "trepl.jsonl"
TIMING = re.compile(r" +\[T\]\t\n")


def test_tables_are_printed_entry_by_entry() -> None:
    assert typed("{1, 'two', {3, k = true}}, 4\n").stdout == (
        '{\n  1 : 1\n  2 : "two"\n  3 : \n    {\n      1 : 3\n      k : true\n    }\n}\n4\n'
    )


def test_tensors_in_tables_are_described() -> None:
    shown = typed("{w = torch.zeros(2, 3), s = torch.LongStorage(4), e = torch.Tensor(), t = {}}\n").stdout
    assert shown.splitlines() == [
        "{",
        "  e : DoubleTensor - empty",
        "  s : LongStorage - size: 4",
        "  t : {}",
        "  w : DoubleTensor - size: 2x3",
        "}",
    ]


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert typed("{['a\\27[31m'] = 'b\\27[2J', ['c\\n'] = 'd\\t', e = 1}\n").stdout == (
        '{\n  a\\027[31m : "b\\027[2J"\n  c\\n : "d\\t"\n  e : 1\n}\n'
    )


def test_a_table_inside_of_itself_is_shown_once() -> None:
    assert typed("t = {1} t.t = t\nt\n").stdout == "{\n  1 : 1\n  t : {...}\n}\n"


@pytest.mark.parametrize("dialect", ["t7", "th"])
def test_a_text_that_is_no_string_is_an_error_of_the_program(dialect: str) -> None:
    shown = typed("x = 1\nsetmetatable({}, {\n__tostring = function() end})\n1\n", "--dialect", dialect)
    assert shown.stderr == "[2]:2: 'tostring' must return a string\n"
    assert shown.stdout.strip() == "1"


def test_an_entry_without_a_text_does_not_hide_the_others() -> None:
    objects = "bad = setmetatable({}, {__tostring = function() error('no \\27', 0) end})\n"
    objects += "none = setmetatable({}, {__tostring = function() return {} end})\n"
    assert typed(f"{objects}{{bad, {{none}}, [bad] = 3, x = 4}}\n").stdout == (
        "{\n  1 : <error in __tostring: no \\27>\n  2 : \n    {\n"
        "      1 : <error in __tostring: [2]:1: 'tostring' must return a string>\n    }\n"
        "  <error in __tostring: no \\27> : 3\n  x : 4\n}\n"
    )


@pytest.mark.parametrize("shown", ["{object}", "1, {object}", "{[object] = 1}", "{}, object"])
def test_print_in_a_script_names_its_line_for_a_text_that_is_no_string(t7: Run, shown: str) -> None:
    source = f"local object = setmetatable({{}}, {{__tostring = function() end}})\nprint({shown})"
    assert t7("-e", source).stderr.startswith("t7: (command line):2: 'tostring' must return a string\n")


def test_long_tables_are_shortened() -> None:
    shown = typed("t = {} for i = 1, 5000 do t[i] = i end\nt\n").stdout.splitlines()
    assert len(shown) == 1002 and shown[-2] == "  ... 4001 more"


def test_large_tensors_are_shortened_at_the_prompt_only() -> None:
    shown = typed("x = torch.range(1, 40000):resize(200, 200)\nx\n").stdout.splitlines()
    assert shown[0].split() == ["1", "2", "3", "4", "5", "...", "196", "197", "198", "199", "200"]
    assert shown[1].split()[0] == "201" and shown[6] == " ..." and shown[7].split()[0] == "38801"
    assert shown[12].split()[-1] == "40000" and max(map(len, shown[:13])) <= 80
    assert shown[13:] == [
        "[torch.DoubleTensor of dimension 200x200]",
        "(12x10 of its elements are shown; print(_) shows them all)",
    ]
    whole = typed("x = torch.range(1, 40000):resize(200, 200)\nx;\nprint(_)\n").stdout
    assert "20000" not in "\n".join(shown) and whole == "nil\n"
    assert "20000" in typed("x = torch.range(1, 40000):resize(200, 200) print(x)\n").stdout
    named = typed("x = torch.ones(200, 200):setNames('rows', 'columns')\nx\n").stdout
    assert "[torch.DoubleTensor of dimension 200x200, names rows x columns]\n(12x" in named


def test_both_ends_of_other_shapes_are_shown() -> None:
    inputs = [
        "torch.range(1, 30000)",
        "torch.range(1, 60000):resize(10, 20, 300)",
        "torch.range(1, 1200):resize(600, 2)",
        "torch.range(1, 12000):mul(1e6):add(0.5):resize(3, 4000)",
    ]
    done = typed("\nprint 'next'\n".join(inputs) + "\n").stdout.split("next\n")
    vector, blocks, narrow, scaled = (text.splitlines() for text in done)
    assert [line.strip() for line in vector[:13]] == [
        *"123456", "...", "29995", "29996", "29997", "29998", "29999", "30000",
    ]  # fmt: skip
    # The headings are those of the whole tensor.
    assert blocks[0].startswith("(1,.,.)") and blocks[15].startswith("(10,.,.)")
    assert blocks[1].split()[0] == "1" and blocks[28].split()[-1] == "60000" and blocks[7] == " ..."
    assert narrow[5].split() == ["11", "12"] and narrow[6] == " ..." and narrow[7].split() == ["1189", "1190"]
    assert scaled[0].endswith("*") and "..." not in scaled[0] and all(" ... " in line for line in scaled[1:4])


def test_a_summary_without_a_common_width() -> None:
    """Beside nan columns are not aligned."""
    shown = typed("x = torch.zeros(200, 200) x[1][1] = 0/0\nx\n").stdout.splitlines()
    assert shown[0].split()[0] == "nan" and "..." in shown[0].split() and max(map(len, shown[:13])) <= 80


def test_last_results() -> None:
    assert typed("1 + 1\n_ * 10\n_1, _2\n").stdout == "2\n20\n20\t2\n"
    assert typed("_ = 'mine'\n5\n_\n_1\n").stdout == "5\nmine\nmine\n"
    assert typed("7\n_LAST\n", "--dialect", "th").stdout == "7\t\n7\t\n"
    # What th printed: as many values as a table of them had elements; and a list of all results.
    assert typed("1, 'a', nil, {}\n#_RESULTS\n", "--dialect", "th").stdout == "1\ta\tnil\t{}\n1\t\n"
    inputs = "1, nil, 3\n1, nil, 3, 4\n1, nil, 3, nil\nnil, nil, 3\n"
    shown = "1\t\n1\tnil\t3\t4\t\n1\t\nnil\tnil\t3\t\n"
    assert typed(inputs, "--dialect", "th").stdout == shown


def recorded() -> list[tuple[str, str, str]]:
    """Sessions that the shell of Torch7 showed: (id, input, what it answered)."""
    if not SEED.exists():
        return []
    found = []
    # The others are about parts that are no more, and errors, which we show in our own way.
    left_out = (
        "nn",
        "float",
        "comment",
        "error",
        "nil-",
        "unfinished",
        "break",
        "penlight",
        "who",
        "color",
    )
    left_out += (
        "colour",
        "relative",
        "setprintlevel",
        "shell-command",
        "syntax",
        "one-key-",
        "table-with-function",
    )
    for line in SEED.read_text().splitlines():
        record = json.loads(line)
        _, kind, name = record["id"].split("/")
        if kind == "stdin" and not name.startswith(left_out):
            answer = TIMING.sub("", record["stdout"].partition("http://torch.ch \n\t\n")[2])
            answer = re.sub(r"^(th|\.\.)> .*\n", "", answer.partition("th> Do you really")[0], flags=re.M)
            found.append((name, record["input"], answer))
    return found


@pytest.mark.skipif(not recorded(), reason="needs the recorded sessions")
def test_dialect_th_prints_as_its_shell_did() -> None:
    # All in one session; a line that only this test knows comes before each.
    inputs = "".join(f"$ echo '== {name}'\n{source}" for name, source, _ in recorded())
    shown = typed(inputs, "--dialect", "th").stdout.split("== ")[1:]
    for (name, _, answer), text in zip(recorded(), shown, strict=True):
        # The old shell put an empty line behind tensors.
        assert text.rstrip() == f"{name}\n{answer}".rstrip(), name


def test_print_of_dialect_th(tmp_path: Path) -> None:
    assert typed("print({1, {2}})\nprint('t', torch.ones(1))\nprint(nil, 1)\n", "--dialect", "th").stdout == (
        "{\n  1 : 1\n  2 : \n    {\n      1 : 2\n    }\n}\n"
        "t\t 1\n[torch.DoubleTensor of size 1]\n\nnil\t1\t\n"
    )


def test_error_shows_the_line_and_marks_the_name() -> None:
    shown = typed("x = torch.Tensor(3)\nlocal y = x:size() .. x:narow(1)\n").stderr
    assert shown == (
        "[2]:1: attempt to call method 'narow' (a nil value); did you mean 'narrow'?\n"
        "     1 | local y = x:size() .. x:narow(1)\n"
        "       |                         ^^^^^\n"
    )


def test_error_in_a_function_of_an_earlier_input() -> None:
    shown = typed("function f(a)\nlocal b = a\nreturn b.c.d\nend\nlocal q = 1; f({})\n").stderr
    assert shown.splitlines() == [
        "[1]:3: attempt to index field 'c' (a nil value)",
        "     3 | return b.c.d",
        "       |          ^",
        "stack traceback:",
        "\t[1]:3: in function 'f'",
        "\t[2]:1: in main chunk",
    ]


@pytest.mark.parametrize("call", ["narrow(1, 3, 2)", "add(torch.ones(4))"])
def test_error_of_the_library_marks_the_function(call: str) -> None:
    shown = typed(f"x = torch.ones(3)\ny = x:{call}\n").stderr.splitlines()
    name = call.partition("(")[0]
    assert name in shown[0] and shown[1:3] == [f"     1 | y = x:{call}", "       |       " + "^" * len(name)]


def test_wrong_source_is_marked_where_it_goes_wrong() -> None:
    assert typed("x = = 3\n").stderr == (
        "[1]:1: unexpected symbol near '='\n     1 | x = = 3\n       |     ^\n"
    )


@pytest.mark.parametrize(
    ("source", "message", "mark"),
    [
        ("1 + * 2", "unexpected symbol near '*'", "    ^"),
        ("x + * 2", "unexpected symbol near '*'", "    ^"),
        ("x(1) + * 2", "unexpected symbol near '*'", "       ^"),
        ("1 + 0x1g", "malformed number near '0x1g'", "    ^^^^"),
        ("1 +", "unexpected symbol near '<eof>'", "^^^"),
        (r'1 + "a\q"', "invalid escape sequence near '\"a'", "    ^^^^"),
        (r'x = "\q" .. "b"', "invalid escape sequence near '\"'", "    ^^^"),
        ("1 = 2", "unexpected symbol near '1'", "^^^^^"),
        ("x += 3", "'=' expected near '+'; Lua writes x = x + value", "^^^^^^"),
        ("if * then", "unexpected symbol near '*'", "   ^"),
    ],
)
def test_wrong_expression_is_marked_where_it_goes_wrong(source: str, message: str, mark: str) -> None:
    lines = typed(f"{source}\n\n\n").stderr.splitlines()
    assert lines == [f"[1]:1: {message}", f"     1 | {source}", f"       | {mark}"]


def test_line_of_an_error_shows_control_characters() -> None:
    assert typed('s = "\x1b[31mred\x1b[0m"\t#s\n').stderr.splitlines()[1:] == [
        '     1 | s = "^[[31mred^[[0m"    #s',
        "       |                         ^",
    ]


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        ("prnt(1)", "print"),
        ("torch.radn(3)", "rand"),
        ("math.flor(1.5)", "floor"),
        ("local config = {rate = 1}; return confg.rate", "config"),
        ("t = {weights = {}}; return t.wieghts.x", "weights"),
        ("nothing_like_this()", None),
    ],
)
def test_misspelt_names(source: str, meant: str | None) -> None:
    shown = typed(source + "\n").stderr.splitlines()[0]
    assert shown.partition("; did you mean ")[2] == (f"'{meant}'?" if meant else "")


def test_a_failing_statement_runs_once() -> None:
    assert typed("n = 0\nfunction f() n = n + 1 error('no') end\nf()\nf() + 1\nn\n").stdout == "2\n"


def test_debug_shows_local_variables() -> None:
    shown = typed(
        "local q = 'x' .. 1; (function(a, t) local b = a * 2; error('no') end)(4, torch.ones(2))\n"
        "%debug\nvars\nup\nvars\n"
    )
    assert "a = 4\n" in shown.stdout and "b = 8\n" in shown.stdout
    assert "t = DoubleTensor - size: 2\n" in shown.stdout and 'q = "x1"\n' in shown.stdout


@pytest.mark.parametrize(
    "request_", ["?torch.addcmul", "torch.addcmul?", "help(torch.addcmul)", "help'torch.addcmul'"]
)
def test_help_of_an_operation(request_: str) -> None:
    shown = typed(request_ + "\n").stdout
    assert "torch.addcmul([res,] x [, scale=1], y, z)" in shown and "x:addcmul([scale=1,] y, z)" in shown
    assert "products of the elements" in shown and "Defined in: torch, chapter arithmetic" in shown


def test_help_of_methods_and_values() -> None:
    shown = typed("x = torch.FloatTensor(2)\n?x:narrow\nx:add?\n?x\n?for\n?x:nerrow\n?1 + 1\n").stdout
    assert "x:narrow(dim, first, size)\n" in shown and "torch/tensor/view.lua" in shown
    assert "x:add([scale=1,] y)" in shown
    assert "x is a torch.FloatTensor of 2\n" in shown and "for is a keyword of Lua\n" in shown
    assert "there is no 'x:nerrow'; did you mean 'x:narrow'?\n" in shown
    assert "help: '1 + 1' is not a name\n" in shown


def test_help_of_the_users_function(tmp_path: Path) -> None:
    path = tmp_path / "mine.lua"
    path.write_text(
        "local x = 1\n\n-- Doubles a number.\n-- Nothing else.\nfunction double(n)\n  return n * 2\nend\n"
    )
    shown = typed(
        f"dofile('{path}')\n?double\n??double\n-- Halves.\nfunction halve(n) return n / 2 end\n??halve\n"
    )
    assert (
        "double(n)\n\nDoubles a number.\nNothing else.\n\nDefined in: " in shown.stdout
        and "mine.lua:5\n" in shown.stdout
    )
    assert "function double(n)\n  return n * 2\nend\n" in shown.stdout
    assert "function halve(n) return n / 2 end\n" in shown.stdout


@pytest.mark.parametrize("source", ["torch.ones(2)[5]", "nosuch.field", "nosuch.field -- why"])
def test_errors_of_an_expression_name_its_line(source: str) -> None:
    done = typed(source + "\n")
    assert done.stderr.startswith("[1]:1: ") and f"     1 | {source}\n" in done.stderr


def test_the_code_shown_is_that_of_the_message() -> None:
    done = typed("f = function() error('deep', 2) end\nfunction g()\nf()\nend\ng()\n")
    assert done.stderr.startswith("[2]:2: deep\n     2 | f()\n")


def test_a_coroutine_stays_one() -> None:
    done = typed("coroutine.create(function() end)\ntype(_)\n")
    assert re.fullmatch(r"thread: 0x\w+\nthread\n", done.stdout)


def test_the_hint_names_what_holds_the_value() -> None:
    done = typed("_ = 1\ntorch.zeros(300, 300)\n_1 = 2\ntorch.zeros(200, 200)\n")
    assert "are shown; print(_1) shows them all)" in done.stdout
    assert "of its elements are shown)\n" in done.stdout


def test_programs_read_the_lines_behind_their_own() -> None:
    done = typed("x = io.read()\nfirst\ny = io.read('*n')\n42\nprint(x, y)\n")
    assert done.stdout == "first\t42\n" and done.stderr == ""


def test_completion_without_torch() -> None:
    engine = Engine()
    engine.helper("shell.complete")
    engine.execute("torch = nil")
    _, found = engine.helper("shell.complete")(b"pri")
    assert "print" in [entry[1] for entry in found.values()]


@pytest.mark.parametrize(
    ("source", "mark"), [("s = 'u.y' print(u.y)", 16), ("print('日本', u.y)", 14), ("print('é', u.y)", 11)]
)
def test_the_mark_stands_below_the_name(source: str, mark: int) -> None:
    """In columns of a terminal, where some characters take two; not below the same word in a string."""
    lines = typed(source + "\n").stderr.splitlines()
    assert lines[2].partition("| ")[2] == " " * mark + "^"


def test_tensors_of_a_device_are_named() -> None:
    """Without a GPU their fields are those of the CPU's."""
    inputs = "require 'cutorch'\nx = torch.CudaTensor(3)\n%who\n{torch.CudaTensor(), torch.ones(2)}\n"
    done = typed(inputs).stdout
    assert "x = CudaTensor - size: 3\n" in done
    assert "  1 : CudaTensor - empty\n  2 : DoubleTensor - size: 2\n" in done
