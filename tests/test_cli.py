"""The command line: scripts, -e, standard input, exit statuses, output through pipes."""

from __future__ import annotations

import inspect
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import t7shell
from t7shell import __version__, native
from t7shell.cli import main

from .conftest import Run


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "script.lua"


def test_script_gets_its_arguments(t7: Run, script: Path) -> None:
    script.write_text("print(arg[0], arg[1], arg[2], #arg, ...) print(type(arg[-1]))")
    done = t7(str(script), "a", "-lr")
    assert done.stdout == f"{script}\ta\t-lr\t2\ta\t-lr\nstring\n"
    assert (done.stderr, done.returncode) == ("", 0)


def test_script_with_a_header_line(t7: Run, script: Path) -> None:
    script.write_text("#!/usr/bin/env t7\nprint('ran')\n")
    assert t7(str(script)).stdout == "ran\n"


def test_modules_beside_the_script(t7: Run, script: Path) -> None:
    (script.parent / "util").mkdir()
    (script.parent / "util" / "x.lua").write_text("return {name = 'x'}")
    (script.parent / "util" / "init.lua").write_text("return {name = 'package'}")
    (script.parent / "other.lua").write_text("return paths.basename(paths.thisfile())")
    script.write_text(
        "print(require('util.x').name, require('util').name)"
        "print(paths.dofile('other.lua'), paths.thisfile() == arg[0])"
    )
    done = t7(str(script), cwd=Path("/"))
    assert done.stdout == "x\tpackage\nother.lua\ttrue\n", done.stderr


def test_script_error(t7: Run, script: Path) -> None:
    script.write_text("print('before')\nlocal function f() error('boo') end\nf()\n")
    done = t7(script.name, cwd=script.parent)
    assert (done.stdout, done.returncode) == ("before\n", 1)
    assert done.stderr.splitlines() == [
        "t7: script.lua:2: boo",
        "stack traceback:",
        "\tscript.lua:2: in function 'f'",
        "\tscript.lua:3: in main chunk",
    ]


def test_missing_script(t7: Run) -> None:
    done = t7("no/such.lua")
    assert done.returncode == 1
    assert done.stderr == "t7: cannot open no/such.lua: No such file or directory\n"


def test_a_script_without_end_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from t7shell.engine import file_bytes

    monkeypatch.setattr(file_bytes, "_LIMIT", 5_000_000)
    script = tmp_path / "script"
    for size in (0, 1, 4_999_999):
        script.write_bytes(b" " * size)
        assert len(file_bytes.read_whole(str(script))) == size
    for name in (str(script), *filter(os.path.exists, ["/dev/zero"])):
        script.write_bytes(b" " * 5_000_000)
        with pytest.raises(OSError, match="too large"):
            file_bytes.read_whole(name)


def test_code_and_packages_in_the_order_given(t7: Run) -> None:
    assert t7("-e", "x = 1", "-lxlua", "-l", "sys", "-e", "print(x, xlua ~= nil)").stdout == "1\ttrue\n"


def test_code_before_a_script(t7: Run, script: Path) -> None:
    script.write_text("print(x, ...)")
    assert t7("-e", "x = 7", str(script), "a").stdout == "7\ta\n"


def test_first_failing_code_ends_it(t7: Run) -> None:
    done = t7("-e", "error({})", "-e", "print('never')")
    assert (done.stdout, done.returncode) == ("", 1)
    assert "(error object is a table value: {})" in done.stderr


def test_a_package_alone_leaves_the_program_to_the_standard_input(t7: Run) -> None:
    assert t7("-l", "nn", stdin="print(nn ~= nil)").stdout == "true\n"


def test_missing_package(t7: Run) -> None:
    done = t7("-l", "no_such_package")
    assert done.returncode == 1 and "module 'no_such_package' not found" in done.stderr


def test_standard_input_is_a_script(t7: Run) -> None:
    source = "local x = 3\nprint(x)\nx + 1 = 2"
    done = t7(stdin=source)
    assert (done.stdout, done.returncode) == ("", 1)
    assert "stdin:3:" in done.stderr
    done = t7(stdin="local x = 3\nprint(x, io.read('*l'))\n")
    assert (done.stdout, done.stderr, done.returncode) == ("3\tnil\n", "", 0)


def test_dash_is_the_standard_input(t7: Run) -> None:
    assert t7("-", "a", "b", stdin="print(arg[0], ...)").stdout == "-\ta\tb\n"


def test_script_reads_the_standard_input(t7: Run, script: Path) -> None:
    script.write_text("print(io.read('*n', '*l', '*a'))")
    assert t7(str(script), stdin="12 apples\nrest").stdout == "12\t apples\trest\n"


def test_prompt_afterwards(t7: Run) -> None:
    done = t7("-i", "-e", "x = 5", stdin="x + 1\n")
    assert "6\n" in done.stdout and "t7> " in done.stdout


def test_prompt_after_a_failure(t7: Run, script: Path) -> None:
    script.write_text("x = 5 error 'oh'")
    done = t7("-i", str(script), stdin="x + 1\n")
    assert "oh" in done.stderr and "6\n" in done.stdout and done.returncode == 0


def test_version_and_help(t7: Run) -> None:
    assert t7("--version").stdout == f"t7shell {__version__}, kernels {native.level()}\n"
    done = t7("--help")
    assert done.returncode == 0 and done.stdout.startswith("usage: t7")


@pytest.mark.parametrize("args", [["-z"], ["-e"], ["--dialect", "lua"], ["--nonsense=1"]])
def test_wrong_usage(t7: Run, args: list[str]) -> None:
    done = t7(*args)
    assert done.returncode == 2 and not done.stdout
    assert done.stderr.endswith("\n`t7 --help` lists the options\n") and done.stderr.count("\n") == 2


def test_dialect(t7: Run) -> None:
    code = "print(require('torch.base.dialect').name)"
    assert t7("-e", code).stdout == "t7\n"
    assert t7("--dialect", "th", "-e", code).stdout == "th\t\n"
    assert t7("--dialect=torch5", "-e", code).stdout == "torch5\n"


@pytest.mark.parametrize(
    ("argument", "status"), [("7", 7), ("'3'", 3), ("nil", 0), ("true", 0), ("false", 1)]
)
def test_exit_status_with_the_output_written(t7: Run, argument: str, status: int) -> None:
    done = t7("-e", f"io.write('no newline') pcall(os.exit, {argument}) print('never')")
    assert (done.stdout, done.returncode) == ("no newline", status)


def test_exit_with_nonsense_is_an_error(t7: Run) -> None:
    done = t7("-e", "os.exit('no')")
    assert done.returncode == 1
    assert "os.exit: argument 1 must be a number or a boolean (got 'no')" in done.stderr


def test_output_keeps_its_order(t7: Run) -> None:
    code = "print('one') io.write('two\\n') io.stdout:write('three\\n') os.execute('') error('four')"
    command = [sys.executable, "-m", "t7shell", "-e", code]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    assert done.stdout.splitlines()[:4] == ["one", "two", "three", "t7: (command line):1: four"]


def test_closed_pipe_is_silent() -> None:
    command = f"{sys.executable} -m t7shell -e 'for i = 1, 1e5 do print(i) end' | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("1\n", "")


@pytest.mark.parametrize("loop", ["while true do end", "while true do pcall(sys.sleep, 10) end", "io.read()"])
def test_interrupted_script(loop: str) -> None:
    code = f"io.write('started') io.stdout:flush() io.write(' x') {loop}"
    command = [sys.executable, "-m", "t7shell", "-e", code]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout and process.stderr
        assert process.stdout.read(7) == "started"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=10) == 130
        finally:
            process.kill()
        assert process.stdout.read() == " x"
        assert process.stderr.read() == "interrupted\n"


def test_a_command_that_is_interrupted_in_python(capfd: pytest.CaptureFixture[str]) -> None:
    def work(_: list[str]) -> int:
        raise KeyboardInterrupt

    assert main.guarded(work, []) == 130
    assert capfd.readouterr() == ("", "interrupted\n")


@pytest.mark.parametrize("command", ["t7", "th"])
def test_a_command_that_is_interrupted_while_python_imports_it(command: str) -> None:
    code = f"""
        import signal, sys, t7shell.__main__
        assert "t7shell.engine" not in sys.modules

        class Interrupt:
            def find_spec(self, name, path, target=None):
                if name == "t7shell.engine.engine":
                    signal.raise_signal(signal.SIGINT)

        sys.meta_path.insert(0, Interrupt())
        sys.argv[1:] = ["-e", "print(1)"]
        sys.exit(t7shell.__main__.{command}())
    """
    done = subprocess.run(
        [sys.executable, "-c", inspect.cleandoc(code)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_little_is_imported_before_ctrl_c_is_handled() -> None:
    folder = Path(t7shell.__file__).parents[1]
    code = (
        f"import sys; sys.path.insert(0, {str(folder)!r}); before = set(sys.modules);"
        "import t7shell.__main__; print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True)
    assert sorted(done.stdout.split()) == ["t7shell", "t7shell.__main__"]


def test_lua_path_of_the_user(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.lua").write_text("return 'found'")
    done = t7("-e", "print(require 'mine')", env={"LUA_PATH": f"{tmp_path}/?.lua;;"})
    assert done.stdout == "found\n", done.stderr


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["-e", ""], ["numpy", "scipy", "prompt_toolkit", "pygments", "argparse", "pathlib"]),
        (["-i", "--no-init"], ["numpy", "scipy", "prompt_toolkit", "pygments", "argparse"]),
    ],
)
def test_starting_imports_nothing_heavy(arguments: list[str], heavy: list[str]) -> None:
    """For a line, and for a prompt without a terminal."""
    code = (
        f"import sys, t7shell.cli.main; t7shell.cli.main.main({arguments});"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], input="", capture_output=True, text=True, timeout=60)
    assert done.stdout.endswith("[]\n"), done.stderr


def test_no_luajit_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "lupa").mkdir()
    (tmp_path / "lupa" / "__init__.py").write_text("")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "t7shell", "-e", ""]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith("t7: t7shell needs LuaJIT 2.1") and done.stderr.count("\n") == 1


@pytest.mark.one_in(5)
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("args", ["-e 'print(io.read())'", "-i", "--version"])
def test_closed_streams(closed: str, args: str) -> None:
    done = subprocess.run(
        f"{sys.executable} -m t7shell {args} {closed}",
        shell=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


REMOVED = """
lfs = require 'lfs'
lfs.chdir(arg[1])
assert(lfs.rmdir(arg[1]))
print(lfs.currentdir())
print(paths.concat('/a', 'b'))
for _, work in ipairs {
   function() torch.save('x.t7', 1) end,
   function() require('gnuplot').pngfigure('x.png') end,
   function() paths.concat 'x' end,
   function() require('pl.path').abspath 'x' end,
} do print(select(2, pcall(work))) end
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps the current folder")
def test_a_current_folder_that_was_removed(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    done = t7("-e", REMOVED, "-", str(tmp_path / "gone"), env={"LUA_PATH": "/no/?.lua"})
    reason = "No such file or directory"
    assert (done.stderr, done.stdout.replace("(command line):", "").splitlines()) == ("", [
        f"nil\tthe current folder: {reason}\t2",
        "/a/b",
        f"8: torch.DiskFile: cannot open <x.t7> in mode w: {reason}",
        f"9: pngfigure: {reason}",
        f"10: paths.concat: the current folder: {reason}",
        f"11: path.abspath: the current folder: {reason}",
    ])  # fmt: skip
    script = tmp_path / "start.sh"
    (tmp_path / "gone").mkdir()
    script.write_text("cd gone && rmdir ../gone && exec \"$@\"")
    done = subprocess.run(
        ["sh", script, sys.executable, "-m", "t7shell", "-i"],
        cwd=tmp_path,
        input="%cd /\nprint(6 * 7)\n",
        env={**os.environ, "T7_HISTORY": "history", "T7_CONFIG": "config"},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.stderr == "" and "t7> /\nt7> 42\n" in done.stdout


PIPES = """
local long = ('x'):rep(1e6)
local pipe, other = torch.PipeFile('exit 0', 'w'), io.popen('exit 0', 'w')
sys.sleep(0.2)
print(pcall(pipe.writeString, pipe, long))
print(other:write(long))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="needs SIGPIPE")
def test_a_write_to_a_command_that_has_ended_fails(t7: Run) -> None:
    done = t7("-e", PIPES)
    expected = "false\t(command line):5: exit 0: cannot write: Broken pipe\nnil\tBroken pipe\t32\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_a_pipe_that_cannot_be_flushed_is_closed(t7: Run) -> None:
    source = """
        local function count() return #paths.dir('/proc/self/fd') end
        local before = count()
        local pipe = torch.PipeFile('exit 0', 'w')
        sys.sleep(0.2)
        pipe:writeString('x')
        print(pcall(pipe.close, pipe))
        print(count() == before)
    """
    expected = "false\t(command line):7: exit 0: cannot write: Broken pipe\ntrue\n"
    assert t7("-e", source).stdout == expected


UNREAD = [
    "print(1)",
    "while true do print(1) end",
    "while true do io.write('x') end",
    "print(torch.ones(10000, 10))",
    "io.write(('x'):rep(1e7)) os.exit(0)",
    "io.stdout:write(1) io.stdout:flush() sys.sleep(20)",
    "require 'ffi'.cdef 'int puts(const char *);' while true do require 'ffi'.C.puts 'x' end",
    "torch.PipeFile('exec cat', 'w'):writeString(('x'):rep(1e7)) while true do print(1) end",
]


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="needs SIGPIPE")
@pytest.mark.parametrize("arguments", [*(["-e", source] for source in UNREAD), ["--version"], ["help"]])
def test_output_that_nobody_reads_ends_the_process_quietly(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "t7shell", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode in (-signal.SIGPIPE, 141)


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="needs SIGPIPE")
@pytest.mark.parametrize("source", ["while true do print(1) end", "while true do io.write('x') end"])
def test_output_that_nobody_reads_ends_a_prompt_without_a_terminal(source: str) -> None:
    command = [sys.executable, "-m", "t7shell", "-i"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin and process.stdout
        # Another closed pipe is an error of the line.
        process.stdin.write("torch.PipeFile('exec true', 'w'):writeString(('x'):rep(1e6))\n")
        process.stdin.write(f"print('after')\n{source}\n")
        process.stdin.flush()
        assert any("after" in line for line in process.stdout)
        process.stdout.close()
        assert process.wait(60) == -signal.SIGPIPE


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["--version"], ["help"], ["help", "nn"]])
def test_a_message_says_that_the_output_cannot_be_written(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "t7shell", *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "t7: cannot write the output: No space left on device\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_output_that_cannot_be_written() -> None:
    done = subprocess.run(
        f"echo 1 | {sys.executable} -m t7shell -i > /dev/full",
        shell=True,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 1 and done.stderr.startswith("t7: ") and "Traceback" not in done.stderr


def test_misspelt_commands_and_options(t7: Run) -> None:
    assert "did you mean `t7 doctest`?" in t7("doctets", "x").stderr
    assert "unknown option '--dialct'; did you mean --dialect?" in t7("--dialct", "th").stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
@pytest.mark.parametrize("source", ["print(1)", "print(1) os.exit(0)", "io.write(('x'):rep(1e6))"])
def test_output_that_cannot_be_written_is_a_failure(source: str) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "t7shell", "-e", source]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "t7: cannot write the output: No space left on device\n")


def test_traces_of_a_script(t7: Run, tmp_path: Path) -> None:
    loops = tmp_path / "loops.lua"
    loops.write_text("local s = 0\nfor i = 1, 1000 do s = s + i end\nprint(s)\n")
    done = t7("--traces", str(loops))
    assert done.stdout == "500500\n"
    assert "loops.lua:2: compiled" in done.stderr


WRAPPED = """
local original = require
function require(name)
   local fine, value = xpcall(function() return original(name) end, debug.traceback)
   if not fine then error(value, 2) end
   return value
end
"""


def test_a_trace_has_each_chunk_once(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "main.lua").write_text(WRAPPED + "require 'a'")
    for name, needed in ("a", "b"), ("b", "c"), ("c", "d"):
        (tmp_path / f"{name}.lua").write_text(f"require '{needed}'")
    (tmp_path / "d.lua").write_text("local x = nil\nx.y = 1")
    error = t7("main.lua", cwd=tmp_path).stderr
    assert error.count("stack traceback:") == 1
    assert error.splitlines()[0].endswith("./d.lua:2: attempt to index local 'x' (a nil value)")
    chunks = [line.split(":")[0].strip() for line in error.splitlines() if line.endswith("in main chunk")]
    assert chunks == ["./d.lua", "./c.lua", "./b.lua", "./a.lua", "main.lua"]
    assert "evaluate.lua" not in error


def test_a_trace_that_was_raised_again_is_shown_once(t7: Run, tmp_path: Path) -> None:
    source = "local _, why = xpcall(function() error 'first' end, debug.traceback)\nerror(why, 0)"
    (tmp_path / "main.lua").write_text(source)
    error = t7("main.lua", cwd=tmp_path).stderr
    assert error.count("stack traceback:") == 1 and error.count("in main chunk") == 1
    assert error.startswith("t7: main.lua:1: first\nstack traceback:\n")


@pytest.mark.parametrize("mask", ["'l'", "'c'", "'', 1"])
def test_a_debug_hook_that_raises_errors_ends_the_script_alone(t7: Run, mask: str) -> None:
    run = t7("-e", f"io.write 'before '\ndebug.sethook(function() error 'limit' end, {mask})\nprint 'after'")
    assert (run.stdout, run.returncode) == ("before ", 1)
    assert run.stderr.startswith("t7: (command line):2: limit\n")
    assert "Traceback" not in run.stderr
