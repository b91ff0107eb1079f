"""Cells that read from the standard input."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel

from t7shell.kernel.client import Cells, NoQuestions


@pytest.fixture(scope="module")
def cells() -> Iterator[Cells]:
    made = Cells()
    yield made
    made.close()


def run(cells: Cells, source: str, *lines: str) -> tuple[str, dict[str, Any]]:
    """What a cell prints when it is answered with lines, and how it ends. All lines must be asked for."""
    printed: list[str] = []
    left = list(lines)

    def show(kind: str, content: Any) -> None:
        printed.append(content if kind == "stdout" else content["text/plain"])

    answer = cells.ask("execute", source, show=show, question=lambda: left.pop(0))
    assert not left
    return "".join(printed), answer


@pytest.mark.parametrize(
    ("source", "lines", "printed"),
    [
        ("io.write('name? ') print('hello ' .. io.read())", ["wörld"], "name? hello wörld\n"),
        (
            "a, b = io.read('*n', '*n') print(a - b, io.read('*l'), io.read())",
            ["", " 12 -0.5e1 c", "b"],
            "17\t c\tb\n",
        ),
        ("print(io.read('*n'), io.read('*l'))", ["12 34"], "12\t 34\n"),
        ("print(io.read('*n')) print(io.read('*l'))", ["abc"], "nil\nabc\n"),
        ("print(io.read('*n'), io.read('n'))", ["0x10", "3."], "16\t3\n"),
        ("print(#io.read('*L'), io.read('*a'))", ["ab", "cd"], "3\tcd\n\n"),
        ("print(io.read(1), io.read(3), io.read(0) == '', io.read())", ["ab", "cd"], "a\tb\nc\ttrue\td\n"),
        ("print(io.stdin:read(), io.input():read())", ["x", "y"], "x\ty\n"),
        (
            "for line in io.lines() do if line == '.' then break end print(line) end",
            ["1", "2", "."],
            "1\n2\n",
        ),
        ("local next = io.stdin:lines() print(next() .. next())", ["1", "2"], "12\n"),
    ],
)
def test_reading(cells: Cells, source: str, lines: list[str], printed: str) -> None:
    shown, answer = run(cells, source, *lines)
    assert answer == {"status": "ok"}
    assert shown == printed


def test_files_are_read_as_before(cells: Cells, tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("1\n2 3\n")
    source = f"f = io.open('{path}') print(f:read('*n', '*a')) for l in io.lines('{path}') do print(l) end"
    assert run(cells, source)[0] == "1\t\n2 3\n\n1\n2 3\n"
    source = f"io.input('{path}') print(io.read()) print(io.lines()()) io.input(io.stdin)"
    assert run(cells, source)[0] == "1\n2 3\n"


def test_wrong_formats(cells: Cells) -> None:
    for wrong in ("'*x'", "{}", "print"):
        _, answer = run(cells, f"io.read({wrong})")
        assert "1: bad argument #1 to 'read' (invalid format)" in answer["error"][1]


def test_where_nobody_can_be_asked(cells: Cells) -> None:
    answer = cells.ask("execute", "x = 1\nx = io.read()")
    assert "read: no input: there is no user to ask here" in answer["error"][1]
    assert ":2: " in answer["error"][1]
    assert run(cells, "print(x)")[0] == "1\n"


def test_the_end_of_the_input(cells: Cells) -> None:
    """The character of Ctrl-D, which ipykernel takes for it."""
    printed: list[str] = []
    lines = iter(["a", "b"])

    def question() -> str:
        for line in lines:
            return line
        raise EOFError

    source = (
        "for l in io.lines() do print(l) end"
        " print(io.read('*n', '*l')) print(io.read(3), io.read('*a') == '')"
    )
    answer = cells.ask("execute", source, show=lambda kind, text: printed.append(text), question=question)
    assert answer == {"status": "ok"} and "".join(printed) == "a\nb\nnil\nnil\ttrue\n"


def test_a_cell_does_not_read_what_another_left(cells: Cells) -> None:
    assert run(cells, "print(io.read('*n'))", "5 6")[0] == "5\n"
    assert run(cells, "print(io.read())", "name")[0] == "name\n"


def test_interrupt(cells: Cells) -> None:
    """Ctrl-C instead of an answer."""

    def interrupted() -> str:
        raise KeyboardInterrupt

    answer = cells.ask("execute", "y = 2 y = io.read()", question=interrupted)
    assert answer["error"][0] == "Interrupted"
    assert run(cells, "print(y, io.read())", "again")[0] == "2\tagain\n"


@pytest.mark.slow
def test_jupyter(kernels: Path) -> None:
    """Over the protocol: the input channel, a frontend without it, and an interrupt of the kernel."""
    manager, client = start_new_kernel(kernel_name="t7")
    try:
        printed: list[str] = []

        def output(message: dict[str, Any]) -> None:
            if message["msg_type"] == "stream":
                printed.append(message["content"]["text"])

        def answer(message: dict[str, Any]) -> None:
            client.input("42")

        code = "io.write('n? ') print(io.read('*n') / 2)"
        reply = client.execute_interactive(
            code, allow_stdin=True, stdin_hook=answer, output_hook=output, timeout=60
        )
        assert reply["content"]["status"] == "ok" and "".join(printed) == "n? 21\n"
        reply = client.execute_interactive("io.read()", allow_stdin=False, output_hook=output, timeout=60)
        assert "read: no input: this frontend does not ask for any" in reply["content"]["evalue"]

        def interrupt(message: dict[str, Any]) -> None:
            def later() -> None:
                time.sleep(0.3)
                manager.interrupt_kernel()

            threading.Thread(target=later).start()

        reply = client.execute_interactive(
            "z = 3 io.read()", allow_stdin=True, stdin_hook=interrupt, output_hook=output, timeout=60
        )
        assert reply["content"]["ename"] == "Interrupted"
        printed.clear()
        client.execute_interactive("print(z)", output_hook=output, timeout=60)
        assert printed == ["3\n"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_a_breakpoint_asks_for_commands(cells: Cells) -> None:
    source = "local n = 4\nbreakpoint()\nn = n + 1\nprint('end', n)"
    printed, answer = run(cells, source, "n * 2", "n = 20", "next", "c")
    assert "->    2 | breakpoint()\n" in printed and "debug> n * 2\n8\n" in printed
    assert "->    3 | n = n + 1\n" in printed and printed.endswith("end\t21\n")
    assert answer == {"status": "ok"}


def test_quitting_stops_the_cell(cells: Cells) -> None:
    printed, answer = run(cells, "breakpoint()\nprint('end')", "next", "quit")
    assert "->    2 | print('end')\n" in printed and not printed.endswith("end\n")
    assert answer["error"][0] == "Interrupted"
    assert run(cells, "print(1)") == ("1\n", {"status": "ok"})


def test_debug_after_an_error_of_a_cell(cells: Cells) -> None:
    assert run(cells, "local k = 5\nerror('no')")[1]["status"] == "error"
    printed, answer = run(cells, "%debug", "k + 1", "q")
    assert "->    2 | error('no')\n" in printed and "debug> k + 1\n6\n" in printed
    assert answer == {"status": "ok"}


def test_pdb_begins_at_the_error_of_a_cell(cells: Cells) -> None:
    assert run(cells, "%pdb on")[0] == "on\n"
    printed, answer = run(cells, "local k = 5\nerror('no')", "k + 1", "q")
    assert "->    2 | error('no')\n" in printed and "debug> k + 1\n6\n" in printed
    assert answer["status"] == "error" and answer["error"][1].endswith(": no")
    assert run(cells, "%pdb off")[0] == "off\n"


def test_the_debugger_without_a_frontend_that_answers(cells: Cells) -> None:
    def refuse() -> str:
        raise NoQuestions("no input: nobody is here")

    printed: list[str] = []
    for source in ("breakpoint()\nprint('end')", "local k = 5; error('no')", "%debug"):
        cells.ask("execute", source, show=lambda _, content: printed.append(str(content)), question=refuse)
    text = "".join(printed)
    assert "debugger: no input: nobody is here\nend\n" in text and "k = 5\n" in text
