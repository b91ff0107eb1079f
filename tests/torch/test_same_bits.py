"""A result is a function of its inputs: of no load, timing, number of calls, address or number of threads."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

CALLS = Path(__file__).with_name("same_bits.lua")

# Operations that each of the types has no form for.
NO_INTEGERS = """
    addcdiv bhistc cdiv cfmod cmod cremainder dist eig gels geometric geqrf gesv histc inverse mean
    multinomial multinomialAliasSetup_ multinomialAlias_ norm orgqr ormqr potrf potri potrs pstrf qr
    rand randn renorm std svd symeig trtrs var
"""
NO_FRACTIONS = "all any bitand bitor bitxor cbitand cbitor cbitxor"


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Other processes keep the cores busy, each half of the time."""
    source = """
import time
while True:
    stop = time.time() + 0.02
    while time.time() < stop:
        pass
    time.sleep(0.02)
"""
    processes = [subprocess.Popen([sys.executable, "-c", source]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


Calls = tuple[dict[str, str], set[str]]


def calls(types: str, sizes: str, times: int, threads: str, *, backwards: bool = False) -> Calls:
    """What each call gave, by name and operands, and which operations were called in no way."""
    program = (
        f"assert(loadfile {str(CALLS)!r})({{ {sizes} }}, {{ {types} }}, {times}, {{ {threads} }}, "
        f"{str(backwards).lower()})"
    )
    command = [sys.executable, "-m", "t7shell", "-e", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)
    assert done.returncode == 0, done.stderr[-1000:]
    lines = done.stdout.splitlines()
    assert lines[-1].startswith("MISSING"), done.stdout[-1000:]
    given = {}
    for line in lines[:-1]:
        call, checksum, state = line.rsplit(" ", 2)
        assert state == "same", line
        given[call] = checksum
    return given, set(lines[-1].split()[1:])


@pytest.mark.parametrize(
    ("types", "sizes", "times", "threads", "missing"),
    [
        pytest.param("'Float'", "9000", 1, "1, 2", NO_FRACTIONS, marks=pytest.mark.slow),
        pytest.param("'Double'", "20000", 4, "1, 2, 3, 8", NO_FRACTIONS, marks=pytest.mark.slow),
        pytest.param("'Float'", "20000", 4, "2, 1, 4", NO_FRACTIONS, marks=pytest.mark.slow),
        pytest.param("'Double', 'Float'", "12, 700, 5000", 4, "1, 2", NO_FRACTIONS, marks=pytest.mark.slow),
        pytest.param("'Double', 'Float'", "90000", 2, "1, 2, 8", NO_FRACTIONS, marks=pytest.mark.slow),
        pytest.param("'Byte', 'Int', 'Long'", "700, 20000", 4, "1, 2", NO_INTEGERS, marks=pytest.mark.slow),
    ],
)
def test_every_operation(types: str, sizes: str, times: int, threads: str, missing: str) -> None:
    """In two processes, in opposite orders, each of which loads the machine for the other.

    The second one repeats its calls half as often: it is compared with the first one.
    """
    with ThreadPoolExecutor() as pool:
        forwards = pool.submit(calls, types, sizes, times, threads)
        backwards = pool.submit(calls, types, sizes, (times + 1) // 2, threads, backwards=True)
        given, left = forwards.result()
        assert left == set(missing.split())
        assert backwards.result()[0] == given


PROGRAMS = {
    # Products, functions and sums that a training loop is made of; it ended in three sums in six runs.
    "products": """
        local x = torch.randn(64, 64):float()
        local w = torch.randn(64, 64):float():div(4)
        for _ = 1, 300 do x = torch.tanh(torch.mm(x, w)) w:add(1e-6, torch.mm(x:t(), x)) end
        print(('%.17g'):format(x:sum()), ('%.17g'):format(w:norm()))
    """,
    # More calls than any count of calls that once made a difference.
    "sums": """
        local total = 0
        for i = 1, 4000 do total = total + torch.randn(100, 50):sum(1):norm() end
        print(('%.17g'):format(total))
        local x = torch.randn(100, 50)
        local before = x:sum(1)
        for _ = 1, 4000 do assert(x:sum(1):equal(before)) end
    """,
    "images": """
        local x, k = torch.rand(3, 60, 60), torch.rand(4, 3, 5, 5)
        for _ = 1, 20 do
           local y = torch.conv2(x, k)
           x = torch.xcorr2(y:narrow(1, 1, 1):expand(3, 56, 56), torch.rand(3, 3, 3), 'F'):narrow(2, 1, 56)
           x = torch.rand(3, 60, 60):add(y:std())
        end
        print(('%.17g'):format(x:sum()))
    """,
    "equations": """
        local a, b = torch.randn(400, 400), torch.randn(400, 3)
        local x = torch.gesv(b, a)
        local u, s, v = torch.svd(a:narrow(1, 1, 120))
        print(('%.17g %.17g'):format(x:sum(), s:sum() + u:sum() + v:sum()))
        print(('%.17g'):format(torch.dot(a:view(-1), a:view(-1))), ('%.17g'):format(torch.inverse(a):sum()))
    """,
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_seeded_programs(name: str, request: pytest.FixtureRequest) -> None:
    """In two processes, in four of the slow tests."""
    outputs = set()
    for run in range(4 if request.config.getoption("--slow") else 2):
        program = f"torch.setnumthreads({1 + run % 4}) torch.manualSeed(1) {PROGRAMS[name]}"
        with busy(run % 3):
            done = subprocess.run(
                [sys.executable, "-m", "t7shell", "-e", program],
                capture_output=True, text=True, timeout=200, check=False,
            )
        assert done.stderr == ""
        outputs.add(done.stdout)
    assert len(outputs) == 1
