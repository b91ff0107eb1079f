"""Where no memory may become executable, programs run without LuaJIT's compiler, and one line says so.

Linux refuses it to a process after `prctl(PR_SET_MDWE)`, which systemd sets for a service with
`MemoryDenyWriteExecute`.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from t7shell.engine.luajit import INTERPRETED

PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN = 65, 1
REFUSE = f"""
import ctypes, os, sys
if ctypes.CDLL(None).prctl({PR_SET_MDWE}, {PR_MDWE_REFUSE_EXEC_GAIN}, 0, 0, 0):
    sys.exit(77)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
PROGRAM = """
jit.on()
local sum = 0
for i = 1, 1e6 do sum = sum + i end
local x = torch.range(1, 90000):resize(300, 300):float()
print(sum, jit.status(), torch.mm(x, torch.eye(300):float()):equal(x), torch.exp(x:zero()):sum())
"""


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", REFUSE, *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=100, check=False)
    if done.returncode == 77 or sys.platform != "linux":
        pytest.skip("this system cannot argument_error it")
    return done


def test_programs_run() -> None:
    done = run("-m", "t7shell", "-e", PROGRAM)
    assert (done.returncode, done.stderr) == (0, f"t7: {INTERPRETED}\n")
    words = done.stdout.split("\t")
    assert (words[0], words[1], words[-2:]) == ("500000500000", "false", ["true", "90000\n"])


def test_modules_and_threads_run() -> None:
    program = """
    require 'nn'
    local threads = require 'threads'
    torch.manualSeed(1)
    local net = nn.Sequential():add(nn.SpatialConvolution(3, 8, 3, 3)):add(nn.ReLU())
    local input = torch.rand(2, 3, 9, 9)
    local out = net:forward(input)
    net:backward(input, out)
    local pool, found = threads.Threads(2), 0
    local function sum()
       local x = 0
       for k = 1, 1e4 do x = x + k end
       return x
    end
    for i = 1, 4 do pool:addjob(sum, function(x) found = found + x end) end
    pool:synchronize()
    pool:terminate()
    print(out:size(4), found)
    """
    done = run("-m", "t7shell", "-e", program)
    assert done.stdout == "7\t200020000\n", done.stderr


def test_the_prompt_runs() -> None:
    inputs = "x = 20\nx + 22\nfor i = 1, 1e5 do x = x + 1 end\nx\n"
    done = run("-m", "t7shell", "-i", "--no-init", stdin=inputs)
    assert "t7> 42\n" in done.stdout and "t7> 100020\n" in done.stdout
    assert done.stderr.count(INTERPRETED) == 1 and "PANIC" not in done.stderr


def test_python_is_warned() -> None:
    program = "import t7shell, warnings; warnings.simplefilter('error')\ntry: t7shell.Runtime()\n"
    done = run("-c", program + "except RuntimeWarning as reason: print(reason)")
    assert done.stdout == f"{INTERPRETED}\n"


def test_elsewhere_nothing_is_said() -> None:
    command = [sys.executable, "-m", "t7shell", "-e", "print(jit.status())"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.startswith("true\t") and done.stderr == ""
