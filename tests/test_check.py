"""`t7 check`: problems that would stop a program, found without running it."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from t7shell.cli.main import main
from tests.conftest import Run

PROGRAM = """\
#!/usr/bin/env th
require 'nn'
require 'qtuiloader'
local opt = require 'optim'
local util = require 'util.helper'
local net = nn.Sequential():add(nn.Liner(2, 3)):add(nn.Mine(1))
local Mine = torch.class('nn.Mine', 'nn.Module')
function Mine:special() end
net:special():foobarize()
if nn.NotThere then print(1) end
local data = torch.load 'data.t7'
torch.save('out.t7', data)
torch.load('out.t7')
opt.sgdd(print, data)
print(torch.argmax(data), math.power(2, 3))
for _, image in ipairs {} do image.nothing() end
nn.utils.nope()
dofile 'setup.lua'
pcall(require, 'vlfeat')
--[[ nn.InAComment() ]] print 'nn.InAString() #x:method()'
print 'it runs'
"""
HELPER = "local M = {}\nfunction M:hello()\nreturn self:unheard() end\nreturn M\n"


@pytest.fixture
def t7(t7: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `t7 check` in this process, or in another one that has a changed environment."""

    def run(*args: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> CompletedProcess[str]:
        if env:
            return t7(*args, cwd=cwd, env=env)
        with monkeypatch.context() as changed:
            if cwd:
                changed.chdir(cwd)
            try:
                status = main(args)
            except SystemExit as ended:
                status = int(ended.code or 0)
        return CompletedProcess(args, status, *capsys.readouterr())

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "util").mkdir()
    (tmp_path / "util" / "helper.lua").write_text(HELPER)
    (tmp_path / "program.lua").write_text(PROGRAM)
    return tmp_path


def test_what_is_missing_with_its_lines(t7: Run, folder: Path) -> None:
    run = t7("check", "program.lua", cwd=folder)
    assert run.returncode == 1 and run.stderr == ""
    *lines, last = run.stdout.splitlines()
    assert [line.split("; ")[0] for line in lines] == [
        "program.lua:3: package 'qtuiloader' is not available",
        "program.lua:6: 'nn.Liner' does not exist",
        "program.lua:9: no class here has a method 'foobarize'",
        "program.lua:11: file 'data.t7' does not exist",
        "program.lua:14: 'optim.sgdd' does not exist",
        "program.lua:15: 'torch.argmax' does not exist",
        "program.lua:15: 'math.power' does not exist",
        "program.lua:17: 'nn.utils.nope' does not exist",
        "program.lua:18: file 'setup.lua' does not exist",
        "program.lua:19: package 'vlfeat' is not available",
        "./util/helper.lua:3: no class here has a method 'unheard'",
    ]
    # The methods are counted where no package is missing that may define them.
    assert last == "program.lua: 2 files read, 8 things missing"
    assert lines[2].endswith("; what is missing may define it")
    assert "did you mean 'Linear'?" in lines[1] and "Qt widgets" in lines[0]


METHODS = {
    "local net = nn.Sequential() net:ad(nn.Tanh())": "nn.Sequential has no method 'ad'",
    "local n n = nn.Sequential():add(nn.Tanh()):float() n:fill(1)": "nn.Sequential has no method 'fill'",
    "nn.Concat(2):add(nn.Tanh()):add(nn.Tanh()):fill(3)": "nn.Concat has no method 'fill'",
    "local c = nn.MSECriterion() c:parameters()": "nn.MSECriterion has no method 'parameters'",
    "local o = require 'optim' local log = o.Logger('x') log:plott()": "optim.Logger has no method 'plott'",
    "local x = torch.rand(3) x:add(1):forward(x)": "torch.DoubleTensor has no method 'forward'",
    "timer = torch.Timer() timer:rest()": "torch.Timer has no method 'rest'",
    "local m = nn.Linear(2, 3) if m then m:cuda() end m:size()": "nn.Linear has no method 'size'",
}


@pytest.mark.parametrize("source", METHODS)
def test_methods_of_objects_whose_class_is_known(t7: Run, tmp_path: Path, source: str) -> None:
    (tmp_path / "program.lua").write_text("require 'nn'\n" + source)
    run = t7("check", "program.lua", cwd=tmp_path)
    missing = [line for line in run.stdout.splitlines() if "is for GPUs" not in line]
    assert missing[0].startswith(f"program.lua:2: {METHODS[source]}; ")
    assert missing[1] == "program.lua: 1 file read, 1 thing missing"


def test_methods_for_gpus_are_named(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "program.lua").write_text("x = torch.rand(2)\nx:cuda() x:cuda()")
    run = t7("check", "program.lua", cwd=tmp_path)
    assert run.returncode == 0
    assert run.stdout.splitlines()[0] == (
        "program.lua:2: the method 'cuda' is for GPUs; without a GPU it computes on the processor"
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "source",
    [
        "require 'nn' local m = nn.Linear(2, 3) m = torch.rand(2) m:fill(1)",
        "require 'nn' local a, b = nn.Linear(2, 3), torch.rand(2) b:fill(1) local function f(a) a:fill() end",
        "require 'nn' local w, g = nn.Linear(2, 3):getParameters() w:fill(1)",
        "require 'nn' local s = nn.Tanh().output s:fill(1)",
        "require 'nngraph' local node = nn.Identity()() node:annotate{} local y = - nn.Tanh() y:annotate{}",
        "require 'nn' local m = nn.Tanh() m.own = print m:own() for m in pairs{} do m:fill(1) end",
        "local x = torch.rand(2) x = x:sum() + 1 local y = torch.rand(2):gt(1) y:sum() ('x'):rep(2)",
        "require 'ffi' require 'bit' local threads = require 'threads' threads.Threads(1):addjob(print)",
        "require 'nn' print(nn.Linear(2, 3):forward(torch.rand(2)):sum())",
        "local t = torch.rand(3) t:add(1):view(-1):float() print(('x'):rep(3)) io.open('f', 'w'):write('x')",
        "local C = torch.class('Mine') function C:own() end Mine():own() local t = { far = 1 } t:far()",
        "function torch.mine() end torch.mine() torch.other = print torch.other()",
        "pcall(require, 'vlfeat') if torch.none then torch.save('a.t7', 1) torch.load 'a.t7' end",
        "require './beside' require('beside').x()",
        "require 'image' image.scale(image.lena(), 10) paths.mkdir 'x' sys.tic() xlua.progress(1, 1)",
        "local x = 1;; for i = 1, 3 do break; print(i) end print(#x)",
    ],
)
def test_programs_without_faults(t7: Run, tmp_path: Path, source: str) -> None:
    (tmp_path / "beside.lua").write_text("return { x = function() end }")
    (tmp_path / "program.lua").write_text(source)
    run = t7("check", "program.lua", cwd=tmp_path)
    assert run.returncode == 0
    assert "nothing is missing" in run.stdout


def test_nothing_runs(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "program.lua").write_text("io.open('made', 'w') require 'second' os.exit(7)")
    (tmp_path / "second.lua").write_text("error 'it ran'")
    assert t7("check", "program.lua", cwd=tmp_path).returncode == 0
    assert not (tmp_path / "made").exists()


def test_wrong_syntax_and_usage(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "program.lua").write_text("x = 1\nlocal = 2\n")
    run = t7("check", str(tmp_path / "program.lua"))
    assert run.returncode == 1 and "program.lua:2: '<name>' expected near '='" in run.stdout
    assert t7("check").returncode == 2
    assert "no such file" in t7("check", "nowhere.lua").stderr
    assert "not a file or folder" in t7("check", "/dev/null").stderr
    assert t7("check", "--help").stdout.startswith("usage: t7 check")


def test_a_package_that_lacks_one_of_python(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "program.lua").write_text("require 'hdf5'\n")
    (tmp_path / "h5py.py").write_text("raise ImportError('not here')\n")
    run = t7("check", "program.lua", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert run.returncode == 1
    assert "program.lua:1: package 'hdf5' cannot be loaded; hdf5: h5py is missing: pip install" in run.stdout


@pytest.mark.parametrize(
    "source",
    [
        "local net = nn.Sequential() if net.extra then net:extra() end",
        "local net = nn.Sequential() local x = net.extra and net:extra()",
        "local i = 1 image.load('pic (' .. i .. ').png')",
        "local x = 'a' image.load('preds/' .. x)",
        "local x = 'a' dofile('parts/' .. x .. '.lua')",
        "local f = io.open('log.txt', 'a') f:write('x') io.open('log.txt')",
        "local C = torch.class('my.C') C['takeStep'] = function(self) end my.C():takeStep()",
        "local t = require 'torch' for _, t in ipairs{{}} do t.unknown() end",
        "local function f(nn) return nn.Unknown end",
        "local m = nn:LogSoftMax()",
    ],
)
def test_what_is_no_fault(t7: Run, tmp_path: Path, source: str) -> None:
    (tmp_path / "main.lua").write_text(f"require 'nn' require 'image' {source}")
    done = t7("check", "main.lua", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_beside_a_script_define_what_it_uses(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "layers").mkdir()
    (tmp_path / "layers" / "mine.lua").write_text(
        "local M = torch.class('nn.Mine', 'nn.Module') function M:special() end"
    )
    (tmp_path / "main.lua").write_text("require 'nn' local m = nn.Mine() m:special() m:unknown()")
    done = t7("check", "main.lua", cwd=tmp_path)
    assert "'unknown'" in done.stdout and "'special'" not in done.stdout and "Mine" not in done.stdout
    assert done.stdout.endswith("main.lua: 1 file read, 1 thing missing\n")


def test_a_folder_is_one_program(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "program" / "sub").mkdir(parents=True)
    (tmp_path / "program" / "a.lua").write_text("require 'nn' nn.Unknown()")
    (tmp_path / "program" / "sub" / "b.lua").write_text(
        "function torch.mine() end torch.mine() torch.other()"
    )
    done = t7("check", "program/", cwd=tmp_path)
    assert [line.split(";")[0] for line in done.stdout.splitlines()] == [
        "program/a.lua:1: 'nn.Unknown' does not exist",
        "program/sub/b.lua:1: 'torch.other' does not exist",
        "program/: 2 files read, 2 things missing",
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="the places of libraries are those of Linux")
def test_absent_libraries_of_c(t7: Run, tmp_path: Path) -> None:
    source = "ffi = require 'ffi' ffi.load('nosuchlibrary') ffi.load 'm'\nffi.load('./none.so')"
    (tmp_path / "main.lua").write_text(source)
    lines = t7("check", "main.lua", cwd=tmp_path).stdout.splitlines()
    assert [line.split(";")[0] for line in lines] == [
        "main.lua:1: the C library 'nosuchlibrary' is not available",
        "main.lua:2: the C library './none.so' is not available",
        "main.lua: 1 file read, 2 things missing",
    ]


FOLDER = {
    "game-scm-1.rockspec": "",
    "init.lua": "require 'game.rules'",
    "rules.lua": "require 'nn' p = xlua.Profiler() p:lap('x')",
    "train/main.lua": "require 'model' require 'library.util' require 'game' dofile 'model.lua'",
    "train/model.lua": "io.open('words.txt') require 'rules'",
    "other/library/util.lua": "",
    "other/words.txt": "",
    "pack/init.lua": "",
    "pack/parts/init.lua": "",
    "main.lua": "require 'parts'",
}


def test_modules_and_files_of_a_folder_are_there_wherever_it_is_started(t7: Run, tmp_path: Path) -> None:
    """`parts` is a part of the package `pack`, and no module by itself."""
    for name, source in FOLDER.items():
        path = tmp_path / "program" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    done = t7("check", "program", cwd=tmp_path)
    assert [line.split(";")[0] for line in done.stdout.splitlines()] == [
        "program/main.lua:1: package 'parts' is not available",
        "program: 8 files read, 1 thing missing",
    ]


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        # What a missing package adds is not known: it is told, and not counted.
        ("x = require 'nosuch' x:frob()", ["'nosuch' is not available", "frob'; what is missing may"]),
        ("x:frob() x = nn.Nosuch()", ["'nn.Nosuch' does not exist", "frob'; what is missing may define it"]),
        ("for _, name in ipairs(list) do t[name] = function() end end t:frob()", []),
        ("t[name] = 5 t:frob()", ["no class here has a method 'frob'; define it before"]),
        ("require 'nosuch' torch.Tensor(2):frob()", ["'nosuch' is", "torch.DoubleTensor has no"]),
    ],
)
def test_methods_of_what_is_not_known(t7: Run, tmp_path: Path, source: str, missing: list[str]) -> None:
    (tmp_path / "main.lua").write_text("require 'nn' " + source)
    lines = t7("check", "main.lua", cwd=tmp_path).stdout.splitlines()[:-1]
    assert len(lines) == len(missing), lines
    for words in missing:
        assert any(words in line for line in lines), lines


def test_options_that_are_refused(t7: Run, tmp_path: Path) -> None:
    source = (
        "gm = require 'gm' display = require 'display'\n"
        "gm.convert{input = 'a.png', output = 'b.png', size = '3x4', rotat = 90}\n"
        "gm.convert({input = f{inner = 1}, output = 'b.png', verbose = true})\n"
        "display.configure({hostname = 'x', port = 1, prt = 2}) display.image(x, {prt = 3})\n"
        "torch.load(name, {mode = 'ascii', function_s = {mode = 1}})\n"
    )
    (tmp_path / "main.lua").write_text(source)
    lines = t7("check", "main.lua", cwd=tmp_path).stdout.splitlines()
    assert [line.split(";")[0] for line in lines if "option" in line] == [
        "main.lua:2: 'gm.convert' has no option 'rotat'",
        "main.lua:4: 'display.configure' has no option 'prt'",
        "main.lua:5: 'torch.load' has no option 'function_s'",
    ]
    assert "did you mean 'rotate'?" in lines[0]


def test_files_that_require_each_other_by_paths_are_read_once(t7: Run, tmp_path: Path) -> None:
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "init.lua").write_text("require './'\nrequire './part'\n")
    (folder / "part.lua").write_text("require '../program/init'\n")
    shown = t7("check", "program/init.lua", cwd=tmp_path).stdout
    assert shown == "program/init.lua: 2 files read, nothing is missing\n"
