"""Documents as items of pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

PAGE = "```\n> x = 2\n> = x\n2\n> = x + 1\n4\n> error('a') -- t7: skip\n```\n"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "page.md").write_text(PAGE)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "good.txt").write_text("Look:\n> = 1 + 1\n2\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\nt7_documents = docs/*.txt\nt7_timeout = 3\n")
    return tmp_path


def run_pytest(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Runs pytest with the plugin, installed or not, and without those of other packages."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "t7shell.doctest.pytest_plugin",
        "-p",
        "no:cacheprovider",
    ]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": path}
    return subprocess.run(
        [*command, *args], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )


def test_documents_of_the_ini_option_are_collected(folder: Path) -> None:
    done = run_pytest(folder, "--collect-only", "-q")
    assert done.stdout.splitlines()[0] == "docs/good.txt::2: = 1 + 1"
    assert "page.md" not in done.stdout
    assert run_pytest(folder).returncode == 0


def test_examples_are_items_with_the_report_of_the_command(folder: Path) -> None:
    done = run_pytest(folder, "page.md", "-v", "--junitxml", "out.xml")
    assert done.returncode == 1
    assert "page.md::3: = x PASSED" in done.stdout
    assert "page.md:5: failed\n    = x + 1\n  wanted (-) and got (+):\n    - 4\n    + 3\n" in done.stdout
    assert "1 failed, 2 passed, 1 skipped" in done.stdout
    cases = list(ElementTree.parse(folder / "out.xml").iter("testcase"))
    assert [case.find("failure") is not None for case in cases] == [False, False, True, False]
    rules = [found.get("value") for case in cases for found in case.iter("property")]
    assert rules == ["without an output to compare", "exactly"]


def test_one_example_runs_after_those_before_it(folder: Path) -> None:
    done = run_pytest(folder, "page.md", "-k", "5")
    assert "1 failed, 3 deselected" in done.stdout
    assert "+ 3" in done.stdout


@pytest.mark.slow
def test_a_lost_session_costs_its_document_only(folder: Path) -> None:
    (folder / "page.md").write_text("```\n> sys.sleep(600)\n> = 2\n2\n```\n")
    done = run_pytest(folder, "page.md", "docs", "-rs")
    assert "page.md:2: failed" in done.stdout and "timed out after 3 s" in done.stdout
    assert "the session was lost in line 2" in done.stdout
    assert "1 failed, 1 passed, 1 skipped" in done.stdout


@pytest.mark.slow
def test_the_dialect_is_an_option(folder: Path) -> None:
    (folder / "page.md").write_text("```\n> = torch.type(torch.Tensor())\ntorch.Tensor\n```\n")
    assert run_pytest(folder, "page.md").returncode == 1
    assert run_pytest(folder, "page.md", "--t7-dialect", "torch5").returncode == 0


def test_a_mistake_in_a_document_is_an_error_of_the_collection(folder: Path) -> None:
    (folder / "page.md").write_text("```\nx = 1 -- t7: skp\n```\n")
    done = run_pytest(folder, "page.md")
    assert done.returncode == 2 and "unknown directive 'skp'" in done.stdout


@pytest.mark.slow
def test_the_summary_says_what_was_wanted(folder: Path) -> None:
    lines = run_pytest(folder, "page.md").stdout.splitlines()
    assert "FAILED page.md::5: = x + 1 - wanted 4, got 3" in lines
    (folder / "page.md").write_text("```\n> error('no good')\n```\n")
    lines = run_pytest(folder, "page.md").stdout.splitlines()
    assert "FAILED page.md::2: error('no good') - [1]:1: no good" in lines


@pytest.mark.slow
def test_mistakes_in_documents_show_no_source_of_the_plugin(folder: Path) -> None:
    (folder / "page.md").write_text("```\nx = 1 -- t7: skp\n```\n")
    done = run_pytest(folder, "page.md")
    assert "page.md:2: unknown directive 'skp'" in done.stdout and "def collect" not in done.stdout


def test_annotations_count_for_their_example(folder: Path) -> None:
    (folder / "page.md").write_text("```lua\nprint(1) --> 1\nprint(2) --> 3\n```\n")
    done = run_pytest(folder, "page.md")
    assert "1 failed" in done.stdout and "wanted 3, got 2" in done.stdout


def test_a_fence_of_lua_that_does_not_compile_is_an_item_that_fails(folder: Path) -> None:
    (folder / "page.md").write_text('```lua\nprint("hello"\n```\n\n```lua\nx = 1\n```\n')
    done = run_pytest(folder, "page.md")
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout


def test_the_plugin_is_installed() -> None:
    assert '[project.entry-points.pytest11]\nt7 = "t7shell.doctest.pytest_plugin"' in (
        ROOT / "pyproject.toml"
    ).read_text(encoding="utf-8")


@pytest.mark.slow
def test_packages_of_the_ini_option_are_loaded(folder: Path) -> None:
    (folder / "docs" / "good.txt").write_text("Look:\n> = nn ~= nil\ntrue\n")
    assert run_pytest(folder).returncode == 1
    with open(folder / "pytest.ini", "a") as file:
        file.write("t7_packages = nn optim\n")
    assert run_pytest(folder).returncode == 0


@pytest.mark.slow
def test_a_package_that_is_not_there_is_named_at_each_example(folder: Path) -> None:
    (folder / "page.md").write_text("---\npackages: [nosuch]\n---\n" + PAGE)
    done = run_pytest(folder, "page.md")
    assert done.stdout.count("page.md: cannot load the package nosuch: ") >= 4
    assert "4 failed" in done.stdout and "def open_session" not in done.stdout
