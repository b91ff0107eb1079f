"""`python3 -m pytest --cpu-times`: the processor seconds of each file of tests and of the longest tests.

They count the processes that tests start and wait for, and depend little on what else the machine does.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

from . import fork_server

_FILES, _TESTS = 25, 40


def _seconds() -> float:
    times = os.times()
    own = times.user + times.system
    return own + times.children_user + times.children_system + fork_server.seconds


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Keeps what a test took in its last report, which pytest-xdist hands on."""
    item.stash[_START] = _seconds()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Generator[None, Any, Any]:
    report = yield
    if call.when == "teardown":
        report.user_properties = [*report.user_properties, ("cpu", _seconds() - item.stash[_START])]
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Prints the table."""
    tests: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            seconds = dict(getattr(report, "user_properties", ())).get("cpu", 0.0)
            tests[getattr(report, "nodeid", "")] += seconds
            files[getattr(report, "nodeid", "").partition("::")[0]] += seconds
    terminalreporter.section(f"processor seconds: {sum(files.values()):.0f} in all")
    for name, seconds in [*files.most_common(_FILES), *tests.most_common(_TESTS)]:
        terminalreporter.write_line(f"{seconds:8.1f}  {name}")


_START = pytest.StashKey[float]()
