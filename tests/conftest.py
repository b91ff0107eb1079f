"""Fixtures that all tests share."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy  # noqa: F401
import pytest
from threadpoolctl import threadpool_limits

from t7shell.engine.engine import Engine

from . import cpu_times
from .fork_server import run_t7
from .lua_output import printer

# NumPy, which computes expected values, uses one thread: other tests run at the same time.
threadpool_limits(limits=1, user_api="blas")

# A shell that starts the tests in the background lets them ignore Ctrl-C, and so their programs would.
_in_main_thread = threading.current_thread() is threading.main_thread()
if _in_main_thread and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests start a thousand processes: modules are compiled for the first of them, not for each.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Packages installed on this machine must not replace the tested ones.
os.environ.setdefault("T7_CUDA", "cpu")
# Processes of tests get their bytecode from fork_server.py.
os.environ["T7_CACHE"] = ""
os.environ["LUA_PATH"], os.environ["LUA_CPATH"] = "./?.lua;./?/init.lua", "./?.so"

ROOT = Path(__file__).resolve().parents[1]

# Files that take longest, in a run of all tests: they begin first, so that no core waits for one at the end.
LONGEST = [
    *("torch/test_same_bits", "fuzz/test_calls", "test_documents", "fuzz/test_forged", "test_examples"),
    *("torch/parallel/test_parallel_for", "prompt/test_interrupt", "torch/base/test_progress"),
    *("fuzz/test_damaged", "prompt/test_hints", "test_site", "convert/test_layers"),
    *("torch/memory/test_finalizers", "fuzz/test_races", "torch/test_jit", "torch/ops/test_ops"),
]


@pytest.fixture(scope="session", autouse=True)
def checkout_without_new_files() -> Iterator[None]:
    """No test writes into the checkout, beside caches, whose names begin with a dot, and what pip builds."""
    before = set(ROOT.iterdir())
    yield
    new = {path.name for path in set(ROOT.iterdir()) - before if not path.name.startswith(".")}
    assert not new - {"build", "dist"}, f"tests have written into the checkout: {sorted(new)}"


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Spreads a run of all tests over the cores, file by file, where pytest-xdist is installed.

    Runs of some files, of the debugger, with output that is shown (`-s`), and with `-n` stay as they are.
    """
    if "PYTEST_XDIST_WORKER" in os.environ or not config.pluginmanager.hasplugin("xdist"):
        return
    all_tests = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    alone = config.getoption("usepdb") or config.getoption("capture") == "no"
    if all_tests and not alone and config.option.numprocesses is None:
        # One more than there are cores: many tests wait for terminals and other processes.
        config.option.numprocesses = (os.cpu_count() or 1) + 1
        config.option.dist = "loadfile"
        config.option.loadscopereorder = False


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests that are marked slow, too")
    parser.addoption("--cpu-times", action="store_true", help="list the processor seconds of files and tests")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--cpu-times"):
        config.pluginmanager.register(cpu_times)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Puts the longest files first, and leaves out slow tests that are not selected by option or name."""
    if not config.getoption("loadscopereorder", True):
        order = {ROOT / "tests" / f"{name}.py": rank for rank, name in enumerate(LONGEST)}
        items.sort(key=lambda item: order.get(item.path, len(LONGEST)))
    if config.getoption("--slow") or any("::" in str(argument) for argument in config.args):
        return
    cases: Counter[str] = Counter()
    slow = {item for item in items if item.get_closest_marker("slow") or _is_left_out(item, cases)}
    if slow:
        config.hook.pytest_deselected(items=[item for item in items if item in slow])
        items[:] = [item for item in items if item not in slow]


def _is_left_out(item: pytest.Item, cases: Counter[str]) -> bool:
    """Tells if a case of a test marked `one_in(n)` is not the first, the n-th after it, and so on."""
    mark = item.get_closest_marker("one_in")
    if mark is None:
        return False
    test = item.nodeid.partition("[")[0]
    cases[test] += 1
    return bool((cases[test] - 1) % mark.args[0])


@pytest.fixture(scope="session")
def slow(pytestconfig: pytest.Config) -> bool:
    """Whether slow tests run: a test that repeats something does it more often then."""
    return bool(pytestconfig.getoption("--slow"))


@pytest.fixture(scope="session")
def t7() -> Run:
    """Runs `t7` with the given arguments: t7('-e', 'print(1)').stdout."""
    return run_t7


@pytest.fixture(scope="session")
def engine() -> Engine:
    """One engine for the tests of a session; their definitions should be local."""
    return Engine()


@pytest.fixture
def lua(engine: Engine) -> Callable[[str], str]:
    """Runs Lua source in the shared engine and returns its output; an error fails the test."""
    return printer(engine)


@pytest.fixture
def fresh_lua() -> Callable[[str], str]:
    """The same in an engine of the test's own, in which nothing was used yet."""
    return printer(Engine())
