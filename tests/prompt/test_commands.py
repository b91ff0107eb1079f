"""The commands of the prompt, its settings and its start-up file: typed line by line into a pipe."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from t7shell.engine import config
from t7shell.prompt import commands, transcript
from tests.prompt_fixtures import COMMAND, typed


def test_shell_commands() -> None:
    assert typed("$ echo out of $((40 + 2))\n").stdout == "out of 42\n"
    assert typed("$ echo hello\n_LAST\n", "--dialect", "th").stdout == "hello\nhello\n\t\n"


@pytest.mark.slow
def test_time_and_timeit() -> None:
    shown = typed("%time 6 * 7\nn = 0\n%time n = n + 1\nn\n%timeit math.sin(1)\n%timeit x = = 1\n")
    lines = shown.stdout.splitlines()
    assert lines[0] == "42" and lines[3] == "1"
    assert re.fullmatch(r"[\d.]+ [mun]?s \(CPU [\d.]+ [mun]?s\)", lines[1])
    assert re.fullmatch(r"[\d.e-]+ [mun]?s per run \(mean [\d.e-]+ [mun]?s, \d+ runs in a series\)", lines[4])
    assert shown.stderr.startswith("[6]:1: unexpected symbol near '='")


def test_who_and_reset() -> None:
    assert typed("a = 1 b = torch.ones(2)\n%who\n%reset\n%who\na\ntorch ~= nil\n").stdout == (
        "a = 1\nb = DoubleTensor - size: 2\nno user variables\nnil\ntrue\n"
    )


def test_variables_of_a_script_count_as_the_users(tmp_path: Path) -> None:
    script = tmp_path / "first.lua"
    script.write_text("from_script = 1\n")
    assert typed("%who\n", str(script)).stdout == "from_script = 1\n"
    assert typed("%dialect th\n%who\n").stdout == "th\nno user variables\n"
    assert typed("%dialect th\nb = 2\nwho()\n").stdout == "th\nb = 2\n"
    assert typed("function who() return 3 end\n%dialect th\nwho()\n").stdout == "th\n3\t\n"


@pytest.mark.slow
def test_programs_may_redefine_what_the_prompt_needs() -> None:
    strict = "setmetatable(_G, {__index = function(_, k) error('no ' .. k) end, __newindex = error});"
    inputs = f"kept = 1\nrequire, type, next, pairs, select = nil\n{strict}\n1 + 1\n_ + 1\n%who\n?kept\n"
    done = typed(inputs + "{5}\n%timeit 1\nnothing\n")
    assert done.stderr.startswith("[3]:1: no nothing\n")
    assert "per run" in done.stdout
    assert done.stdout.startswith("2\n3\nkept = 1\nkept is a number: 1\n{\n  1 : 5\n}\n")


def test_reset_restores_what_was_overwritten() -> None:
    assert typed("print, torch = 1\n%reset\nprint(torch.ones(1):sum())\n").stdout == "1\n"


def test_run_and_save(tmp_path: Path) -> None:
    script = tmp_path / "my script.lua"
    script.write_text("made = (made or 0) + 1\nprint(..., made)\n")
    saved = tmp_path / "saved.lua"
    shown = typed(f"%run '{script}' a\n%run '{script}' b\nx = 5\n%save {saved}\n%run nowhere.lua\n")
    assert shown.stdout.splitlines()[:2] == ["a\t1", "b\t2"]
    assert shown.stderr == "%run: there is no file nowhere.lua\n"
    assert "x = 5\n" in saved.read_text()


def test_saved_inputs_are_a_program(tmp_path: Path) -> None:
    saved = tmp_path / "saved.lua"
    inputs = "x = 5; x\nx\n= x + 1 -- more\nx;\nfunction f(a)\n  return a\nend\nf(3)\ny = = 3\nf(4) + f(5);\n"
    shown = typed(inputs + f"%save {saved}\n")
    again = subprocess.run([*COMMAND, str(saved)], capture_output=True, text=True, timeout=60, check=True)
    assert shown.stdout.splitlines()[:3] == ["5", "5", "6"]
    assert again.stdout == "5\n5\n6\n5\n9\n" and again.stderr == ""


def test_time_goes_on_until_the_code_is_whole() -> None:
    shown = typed("%time for i = 1, 3 do\n  n = i\nend\nn\n").stdout.splitlines()
    assert "(CPU " in shown[0] and shown[1] == "3"


def test_elements_of_tensors_have_help() -> None:
    shown = typed("x = torch.Tensor{5, 6}\nm = torch.ones(2, 3)\n?x[2]\n?x[3]\n?m[1]\n?m[1][9]\n")
    assert shown.stdout.splitlines() == [
        "x[2] is a number: 6",
        "there is no 'x[3]'",
        "m[1] is a torch.DoubleTensor of 3",
        "there is no 'm[1][9]'",
    ]


def test_strings_in_tables_move_no_cursor() -> None:
    shown = typed("{'a\\27[2J\"\\n', 'C:\\\\x'}\ns = 'two\\nlines'\n%who\n").stdout
    assert shown == '{\n  1 : "a\\027[2J\\"\\n"\n  2 : "C:\\\\x"\n}\ns = "two\\nlines"\n'


def test_debug_after_a_script_that_failed(tmp_path: Path) -> None:
    script = tmp_path / "fails.lua"
    script.write_text("local function f(a) local b = a + 1 error('no') end\nf(3)\n")
    assert "a = 3\nb = 4\n" in typed("%debug\nvars\n", str(script)).stdout


def test_edit_runs_what_the_editor_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i s/1/20/ "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    assert typed("1 + 2\n%edit\n").stdout == "3\n20 + 2\n22\n"
    monkeypatch.setenv("VISUAL", str(tmp_path / "missing"))
    assert "%edit: cannot start" in typed("1 + 2\n%edit\n").stderr


def test_dialect() -> None:
    shown = typed("torch.ones(1)\n%dialect\n%dialect th\ntorch.ones(1)\n%dialect zz\n")
    assert "dimension 1]\n\nt7\nth\n" in shown.stdout and "size 1]" in shown.stdout
    assert shown.stderr == "%dialect: expected t7, th, torch5, modern (got 'zz')\n"


def test_unknown_commands_are_said_to_be_unknown() -> None:
    shown = typed("%tiem 1\n%zzz\n%time\n%checkpoint perhaps\n")
    assert shown.stderr.splitlines() == [
        "unknown command '%tiem'; did you mean '%time'?",
        "unknown command '%zzz'; %magic lists them",
        "%time: usage: %time CODE",
        "%checkpoint: expected on or off (got 'perhaps')",
    ]


def test_traces() -> None:
    shown = typed("%traces for i = 1, 1000 do local x = i end\n%traces\n")
    assert re.search(r"^traces: [1-9]\d* compiled, \d+ given up", shown.stdout, re.M)
    assert re.search(r"^  \[1\]:1: compiled$", shown.stdout, re.M)
    assert "%traces: usage: %traces CODE" in shown.stderr


def test_magic_lists_all() -> None:
    shown = typed("%magic\n").stdout
    for name in ("time", "timeit", "who", "run", "reset", "save", "edit", "dialect", "debug", "checkpoint"):
        assert re.search(rf"^%{name}\b.*  \w", shown, re.M)


def test_init_file(tmp_path: Path) -> None:
    (tmp_path / "init.lua").write_text("greeting = 'from init'\n")
    assert typed("greeting\n", config=tmp_path).stdout == "from init\n"
    assert typed("greeting\n", "--no-init", config=tmp_path).stdout == "nil\n"
    (tmp_path / "init.lua").write_text("error('bad start')\n")
    shown = typed("1\n", config=tmp_path)
    assert shown.stdout == "1\n" and "init.lua:1: bad start" in shown.stderr


def test_settings(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert config.read(str(path)) == config.Config()
    manual = (Path(__file__).resolve().parents[2] / "docs" / "prompt.md").read_text(encoding="utf-8")
    assert config.TEMPLATE.partition("\n\n")[2] in manual
    # The template with its comments taken away is the defaults.
    path.write_text(re.sub(r"^# (\w+ = )", r"\1", config.TEMPLATE, flags=re.M))
    assert config.read(str(path)) == config.Config()
    path.write_text('keys = "vi"\nsuggest = false\n')
    assert config.read(str(path)) == config.Config(keys="vi", suggest=False)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("keys = 'ed'", "keys: expected emacs or vi (got 'ed')"),
        ("keyz = 'vi'", "unknown setting 'keyz'"),
        ("suggest = 3", "suggest: expected true or false (got '3')"),
        ("keys = ", "config.toml: "),
        ("keys = " + 10_000 * "[", "config.toml: "),
    ],
)
def test_wrong_settings_are_reported(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "config.toml").write_text(content)
    with pytest.raises(config.ConfigError, match=re.escape(message)):
        config.read(str(tmp_path / "config.toml"))


def test_wrong_settings_do_not_stop_the_prompt(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("keys = 'ed'")
    shown = typed("1\n", config=tmp_path)
    assert shown.stdout == "1\n" and "expected emacs or vi" in shown.stderr


def test_the_settings_choose_the_dialect(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("dialect = 'modern'")
    lines = "%dialect\n#(torch.ones(2, 3) + torch.ones(3))\n"
    assert typed(lines, config=tmp_path).stdout.split()[0] == "modern"
    assert typed(lines, "--dialect", "t7", config=tmp_path).stdout == "t7\n"
    assert typed(lines, "--no-init", config=tmp_path).stdout == "t7\n"


def test_config_makes_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    assert typed("%config\n", config=folder).stdout == f"{folder / 'config.toml'}\n"
    assert (folder / "config.toml").read_text() == config.TEMPLATE


def always(_: str) -> bool:
    return True


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        ("t7> a = 1\nt7> a\n1\n", ["a = 1", "a"]),
        (
            "th> for i = 1, 2 do\n..> print(i)\n..> end\n1\n2\n                [0.0001s]\nth> 5",
            ["for i = 1, 2 do\nprint(i)\nend", "5"],
        ),
        ("> x = {\n>> 1}\n> =x\ntable: 0x1\n", ["x = {\n1}", "=x"]),
        (">> x = 3\n>> x\n3\n", ["x = 3", "x"]),
        ("t7> f(\n> 2)\nt7>\nt7> 1", ["f(\n2)", "1"]),
        ("> do\n>> print(i)\n>> end\n1\n2\nt7> = 2 + 3\n5", ["do\nprint(i)\nend", "= 2 + 3"]),
    ],
)
def test_transcripts(text: str, inputs: list[str]) -> None:
    assert transcript.is_transcript(text)
    assert transcript.inputs(text, always) == inputs


def test_unfinished_input_takes_lines_without_prompt() -> None:
    assert transcript.inputs("t7> f{\n1}\n2\n", lambda source: source.endswith("}")) == ["f{\n1}"]


def test_lua_is_no_transcript() -> None:
    for source in ("x > 3", "t7 = 3", "-- > x", "f()\n> x", "th", ""):
        assert not transcript.is_transcript(source)


def test_line_by_line_transcript() -> None:
    assert typed("t7> 40 + 2\n").stdout.endswith("40 + 2\n42\n")


def test_transcripts_hold_commands_and_questions() -> None:
    done = typed("t7> x = 5\nt7> %who\nt7> $ echo hello\nt7> ?x\n")
    assert "x = 5\n" in done.stdout and "hello\n" in done.stdout and done.stderr == ""


def test_timeit_speaks_of_its_own_code() -> None:
    done = typed("y = 1\n%timeit nosuch.field\n%timeit error('bad')\n")
    assert "[2]:1: attempt to index global 'nosuch' (a nil value)\n     1 | nosuch.field\n" in done.stderr
    assert "[3]:1: bad\n     1 | error('bad')\n" in done.stderr


def test_run_sets_arg_meanwhile(tmp_path: Path) -> None:
    script = tmp_path / "script.lua"
    script.write_text("print(arg[0] == paths.thisfile(), arg[1], #arg, ...)")
    done = typed(f"before = arg\n%run {script} a -lr\nprint(before == arg)\n")
    assert done.stdout == "true\ta\t2\ta\t-lr\ntrue\n"


def test_run_where_globals_are_strict(tmp_path: Path) -> None:
    script = tmp_path / "script.lua"
    script.write_text("print(arg[1])")
    strict = "setmetatable(_G, {__newindex = function() error('strict') end});"
    done = typed(f"arg = nil\n{strict}\n%run {script} a\nprint(arg)\n")
    assert (done.stdout, done.stderr, done.returncode) == ("a\nnil\n", "", 0)


def test_edit_of_an_editor_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = (("fails", "exit 3", "ended with status 3"), ("removes", 'rm "$1"', "No such file"))
    for name, code, message in cases:
        editor = tmp_path / name
        editor.write_text(f"#!/bin/sh\n{code}\n")
        editor.chmod(0o755)
        monkeypatch.setenv("EDITOR", str(editor))
        done = typed("print('ran')\n%edit\n1 + 1\n")
        assert done.stdout == "ran\n2\n" and message in done.stderr


def test_settings_and_start_up_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"keys = '\xff'\n")
    (tmp_path / "init.lua").mkdir()
    done = typed("1 + 1\n", config=tmp_path)
    assert done.stdout == "2\n" and "config.toml" in done.stderr
    assert done.stderr.endswith(f"t7: {tmp_path}/init.lua: Is a directory\n")
    assert "Traceback" not in done.stderr


def test_the_prompt_shows_the_numbers_of_inputs(tmp_path: Path) -> None:
    """They are those in errors; a request for help has none."""
    (tmp_path / "config.toml").write_text("numbers = true\n")
    done = typed("x = 1\n?x\nerror('two')\n%dialect th\n3\n", config=tmp_path)
    prompts = re.findall(r"t[7h] \[\d+\]> ", done.stdout)
    assert prompts == ["t7 [1]> ", "t7 [2]> ", "t7 [2]> ", "t7 [3]> ", "th [3]> ", "th [4]> "]
    assert "[2]:1: two\n" in done.stderr


def test_a_module_that_failed_to_load_is_tried_again(tmp_path: Path) -> None:
    write = "io.open('{}', 'w'):write('{}'):close()\n"
    path = tmp_path / "garden.lua"
    lines = f"package.path = '{tmp_path}/?.lua;' .. package.path\n" + write.format(path, "error(5)")
    done = typed(lines + "require 'garden'\n" + write.format(path, "return 6") + "require 'garden'\n")
    assert "5" in done.stderr and "previous error" not in done.stderr
    assert done.stdout.splitlines()[-1] == "6"


def test_an_interrupted_input_has_a_number(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("numbers = true\n")
    done = typed("breakpoint()\nquit\nerror('two')\n", config=tmp_path)
    assert re.findall(r"t7 \[\d+\]> ", done.stdout) == ["t7 [1]> ", "t7 [2]> ", "t7 [3]> "]
    assert "[2]:1: two\n" in done.stderr


def test_lsmagic_names_all_commands() -> None:
    assert typed("%lsmagic\n").stdout.split() == sorted("%" + name for name in commands.COMMANDS)


def test_ls(tmp_path: Path) -> None:
    (tmp_path / "one.lua").write_text("")
    (tmp_path / "two words").mkdir()
    shown = typed(f"%cd {tmp_path}\n%ls\n%ls -d 'two words'\n%ls missing\n")
    assert shown.stdout == f"{tmp_path}\none.lua\ntwo words\ntwo words\n"
    assert "(status " in shown.stderr


def test_paste_runs_the_clipboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("wl-paste", "xclip", "xsel", "pbpaste"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert typed("%paste\n").stderr == (
        "%paste: cannot read the clipboard: it needs wl-paste, xclip, xsel or pbpaste\n"
    )
    (tmp_path / "xsel").write_text("#!/bin/sh\nprintf 'p = 20\\r\\np + 1\\n'\n")
    assert typed("%paste\np\n").stdout == "p = 20\np + 1\n21\n20\n"


def test_load_needs_inputs_that_are_edited(tmp_path: Path) -> None:
    (tmp_path / "a.lua").write_text("x = 1\n")
    path = tmp_path / "a.lua"
    shown = typed(f"%load {path}\n%load\n%load {path} b\n%load {tmp_path}/no.lua\n").stderr.splitlines()
    assert shown == [
        f"%load: inputs cannot be edited here; %run {path} runs it",
        "%load: usage: %load FILE",
        f"%load: expected one name (got '{path} b')",
        f"%load: there is no file {tmp_path}/no.lua",
    ]


def test_folders_are_changed_by_commands_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "two words").mkdir()
    shown = typed(f"!cd {tmp_path}\n!cd 'two words'\n$ cd -\n!cd missing\n$ cd a b\n")
    folder = str(tmp_path.resolve())
    assert shown.stdout.splitlines() == [folder, f"{folder}/two words", folder]
    assert shown.stderr.splitlines() == [
        "%cd: missing: No such file or directory",
        "%cd: expected one name (got 'a b')",
    ]


def test_commands_that_take_code() -> None:
    assert {name for name, command in commands.COMMANDS.items() if command.takes_code} == {
        "time",
        "timeit",
        "traces",
    }
