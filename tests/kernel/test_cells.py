"""What cells show, and what becomes of those that do not end."""

from __future__ import annotations

import base64
import io
import json
import os
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from t7shell.kernel import command, frames
from t7shell.kernel.client import Cells, EngineEnded


@pytest.fixture(scope="module")
def cells() -> Iterator[Cells]:
    made = Cells()
    yield made
    made.close()


def run(cells: Cells, source: str) -> tuple[list[tuple[str, Any]], dict[str, Any]]:
    """What a cell shows, texts that follow each other together, and the answer."""
    shown: list[tuple[str, Any]] = []

    def show(kind: str, content: Any) -> None:
        if shown and shown[-1][0] == kind and isinstance(content, str):
            shown[-1] = (kind, shown[-1][1] + content)
        else:
            shown.append((kind, content))

    return shown, cells.ask("execute", source, show=show)


def test_output_comes_in_order(cells: Cells) -> None:
    source = (
        "print(1) os.execute('echo 2') io.write('3\\n') require 'image'"
        " image.display(torch.rand(5, 6)) print(4)"
    )
    shown, answer = run(cells, source)
    assert [kind for kind, _ in shown] == ["stdout", "data", "stdout"]
    assert (shown[0][1], shown[2][1], answer) == ("1\n2\n3\n", "4\n", {"status": "ok"})
    with Image.open(io.BytesIO(base64.b64decode(shown[1][1]["image/png"]))) as picture:
        assert picture.size == (6, 5)


def values(cells: Cells, source: str, expressions: dict[str, str]) -> dict[str, Any]:
    answer = cells.ask("execute", source, 0, expressions)
    found: dict[str, Any] = answer["values"] if answer["status"] == "ok" else answer
    return found


def test_expressions_are_evaluated_after_a_cell(cells: Cells) -> None:
    found = values(
        cells,
        "five = 5",
        {
            "sum": "five + 1",
            "two": "five, 'a'",
            "none": "print",
            "nil": "nothing",
            "table": "{1, 2}",
            "tensor": "torch.ones(2)",
        },
    )
    assert found["sum"] == {"data": {"text/plain": "6"}}
    assert found["two"]["data"]["text/plain"].split() == ["5", "a"]
    assert found["none"]["data"]["text/plain"].startswith("function: ")
    assert found["nil"] == {"data": {"text/plain": "nil"}}
    assert "2" in found["table"]["data"]["text/plain"]
    assert "DoubleTensor" in found["tensor"]["data"]["text/plain"]


def test_an_expression_that_fails_is_an_error_of_its_own(cells: Cells) -> None:
    expressions = {"wrong": "nothing.field", "code": "five six", "statement": "five = 6", "right": "five"}
    found = values(cells, "five = 5", expressions)
    assert found["right"] == {"data": {"text/plain": "5"}}
    for name in ("wrong", "code", "statement"):
        kind, message, lines = found[name]["error"]
        assert kind == "LuaError" and message.startswith("(expression):1: ") and lines
    # They are not inputs, and the cell that fails has none.
    assert "six" not in run(cells, "%history")[0][0][1]
    assert values(cells, "error('no')", expressions)["status"] == "error"


def pieces(cells: Cells, source: str) -> list[tuple[str, Any]]:
    """What a cell shows, piece by piece."""
    shown: list[tuple[str, Any]] = []
    answer = cells.ask("execute", source, show=lambda kind, content: shown.append((kind, content)))
    assert answer == {"status": "ok"}
    return shown


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        ("local x = 1\n!echo one\nprint(x)\n! echo ']=]'\n", "one\n1\n]=]\n"),
        ("for i = 1, 2 do\n  !echo \"it's\"\nend print('end')", "it's\nit's\nend\n"),
        ("io.write([[\n!echo never\n]]) --[[\n!echo never\n]]\n!echo now", "!echo never\nnow\n"),
        ("io.write('a\\\n!echo never\\\n')\n!echo now", "a\n!echo never\nnow\n"),
        ("x = 1\n!exit 3", "(status 3)\n"),
    ],
)
def test_commands_of_the_system_among_lua(cells: Cells, source: str, printed: str) -> None:
    shown, answer = run(cells, source)
    texts = "".join(text for kind, text in shown if kind in ("stdout", "stderr"))
    assert (texts, answer) == (printed, {"status": "ok"})


def test_a_command_within_brackets_is_an_error(cells: Cells) -> None:
    shown, answer = run(cells, "x = {\n!echo never\n}")
    assert shown == [] and answer["status"] == "error" and "near '!'" in answer["error"][1]


@pytest.mark.parametrize("end", ["print('end')", "local done = true"])
def test_progress_is_taken_away_before_other_output(cells: Cells, tmp_path: Path, end: str) -> None:
    source = f"""
        io.write('begin ')
        torch.save('{tmp_path}/x.t7', 1)
        local timer = torch.Timer()
        while timer:time().real < 1.2 do torch.load('{tmp_path}/x.t7') end
        {end}
    """
    shown = pieces(cells, source)
    assert shown[0] == ("stdout", "begin ")
    texts = [text for kind, text in shown if kind == "progress"]
    assert len(texts) > 1 and texts[-1] == "" and "" not in texts[:-1]
    assert all(re.fullmatch(r"loading: .* in \d s, x\.t7", text) for text in texts[:-1])
    assert shown[-1] == (("stdout", "end\n") if "end" in end else ("progress", ""))


@pytest.mark.slow
def test_progress_of_a_download(cells: Cells) -> None:
    """A command that only says that it downloads."""
    shown = pieces(cells, "print('a') print(sys.execute('sleep 1.3; echo wget http://a.b/c'))")
    assert shown[0] == ("stdout", "a\n") and shown[-1] == ("stdout", "wget http://a.b/c\n")
    texts = [text for kind, text in shown if kind == "progress"]
    assert re.fullmatch(r"downloading http://a\.b/c: \d s", texts[0]) and texts[-1] == ""


def test_a_bar_of_xlua(cells: Cells) -> None:
    shown = pieces(cells, "for i = 1, 4 do xlua.progress(i, 4) end print('end')")
    texts = [text for kind, text in shown if kind == "progress"]
    assert [text.partition("] ")[2][:4] for text in texts] == ["1/4 ", "2/4 ", "3/4 ", ""]
    last = "".join(text for kind, text in shown if kind == "stdout").splitlines()
    assert len(last) == 2 and "] 4/4 Tot: " in last[0] and last[1] == "end"


def test_values_are_text_and_html(cells: Cells) -> None:
    shown, _ = run(cells, "torch.Tensor{{1, 2}, {3, 4.5}}")
    data = shown[0][1]
    assert data["text/plain"].endswith("[torch.DoubleTensor of dimension 2x2]")
    assert data["text/html"].count("<td") == 4 and "4.5000" in data["text/html"]
    data = run(cells, "{name = '<b>', torch.ones(1)}")[0][0][1]
    assert "name" in data["text/plain"] and "&lt;b&gt;" in data["text/html"]
    assert run(cells, "3, 'x'")[0] == [("result", {"text/plain": "3\tx"})]
    huge = run(cells, "torch.range(1, 1e6):view(10, 100, 1000)")[0][0][1]
    assert len(huge["text/html"]) < 100000
    assert run(cells, "x = 5")[0] == []
    assert run(cells, "torch.Tensor()")[0][0][1]["text/html"].count("without elements") == 1
    named = run(cells, "torch.ones(1, 2):setNames('rows', 'columns')")[0][0][1]
    assert "of size 1x2, names rows x columns<" in named["text/html"]


def test_plots_come_once_at_the_end(cells: Cells) -> None:
    shown, _ = run(
        cells, "require 'gnuplot' for i = 1, 20 do gnuplot.plot(torch.rand(4), '-') end print('done')"
    )
    assert [kind for kind, _ in shown] == ["stdout", "data"]
    shown, _ = run(cells, "itorch.Plot():line({1, 2}, {3, 4}, 'red', 'a'):title('t'):legend(true):draw()")
    assert "image/png" in shown[0][1]


def test_errors_have_a_mark(cells: Cells) -> None:
    _, answer = run(cells, "print('before')\nlocal t = nil\nprint(t.x)")
    name, message, lines = answer["error"]
    assert name == "LuaError" and "attempt to index local 't'" in message
    assert "print(t.x)" in lines[1] and "^" in lines[2]


def test_commands_and_help(cells: Cells) -> None:
    run(cells, "kept = torch.ones(3)")
    assert "kept = DoubleTensor - size: 3" in run(cells, "%who")[0][0][1]
    assert "CPU" in run(cells, "%time kept:sum()")[0][-1][1]
    assert run(cells, "$ echo $((1 + 2))")[0] == [("stdout", "3\n")]
    assert run(cells, "!echo $((1 + 2))")[0] == [("stdout", "3\n")]
    shown, _ = run(cells, "!echo one\n20 + 2")
    assert "one\n" in shown[0][1] and shown[-1] == ("result", {"text/plain": "22"})
    assert "torch.add(" in run(cells, "?torch.add")[0][0][1]
    assert run(cells, "%nonsense")[0][0][0] == "stderr"


@pytest.mark.parametrize(
    "source", ["while true do end", "local t = {} while true do t[1] = torch.ones(2) end"]
)
def test_an_interrupted_cell_keeps_the_session(cells: Cells, source: str) -> None:
    run(cells, "kept = torch.ones(3)")
    timer = threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    _, answer = run(cells, source)
    assert answer["error"][0] == "Interrupted"
    assert run(cells, "kept:sum()")[0] == [("result", {"text/plain": "3"})]


def test_questions(cells: Cells) -> None:
    found = cells.ask("complete", "x = torch.linsp", 15)
    assert (found["matches"], found["start"]) == (["linspace"], 10)
    assert "torch.add(" in cells.ask("inspect", "torch.add(", 10, 0)["text"]
    assert cells.ask("inspect", "no_such_name", 5, 0)["text"] == ""
    # The help where the source is not known.
    assert "function" in cells.ask("inspect", "torch.Tester", 12, 1)["text"]
    assert cells.ask("inspect", "torch", 5, 1) == cells.ask("inspect", "torch", 5, 0)
    for source, status in (
        ("x = {", "incomplete"),
        ("x = = 1", "invalid"),
        ("%who", "complete"),
        ("x?", "complete"),
    ):
        assert cells.ask("completeness", source)["status"] == status


def test_the_end_of_the_process_is_told() -> None:
    cells = Cells()
    with pytest.raises(EngineEnded, match="with status 3"):
        run(cells, "os.exit(3)")
    cells.close()


def test_bytes_that_are_no_text(cells: Cells) -> None:
    shown, _ = run(cells, "io.write('a\\0b\\255c\\n') x = 1")
    assert shown == [("stdout", "a\0b�c\n")]
    assert run(cells, "'\\255'")[0][0][1]["text/plain"] == "�"


def test_frames_in_pieces() -> None:
    key = frames.new_key()
    head = f"\0t7 frame {key} "
    message = {"data": {"text/plain": f"{head}3:abc"}}
    done = frames.pack({"done": 1}, key)
    stream = "ä\0".encode() + frames.pack(message, key) + f"{head}x".encode() + done + b"end"
    for size in (1, 2, 7, 1000):
        reader = frames.Reader(key)
        parts: list[Any] = []
        for i in range(0, len(stream), size):
            for part in reader.feed(stream[i : i + size]):
                if isinstance(part, str) and parts and isinstance(parts[-1], str):
                    parts[-1] += part
                else:
                    parts.append(part)
        assert parts == ["ä\0", message, f"{head}x", {"done": 1}, "end"]


def test_large_frames_and_many_nuls() -> None:
    key = frames.new_key()
    message = {"data": "x" * 50_000_000}
    stream = b"\0" * 2_000_000 + frames.pack(message, key) + b"\0"
    reader = frames.Reader(key)
    parts = [part for i in range(0, len(stream), 65536) for part in reader.feed(stream[i : i + 65536])]
    assert "".join(part for part in parts if isinstance(part, str)) == "\0" * 2_000_000
    assert [part for part in parts if not isinstance(part, str)] == [message]


def test_a_program_cannot_print_a_frame(cells: Cells) -> None:
    forged = frames.pack({"done": {"status": "forged"}, "number": 1}, frames.new_key()).decode()
    shown, answer = run(cells, f"io.write([[{forged}]], '\\0t7 frame 99:');")
    assert shown == [("stdout", f"{forged}\0t7 frame 99:")]
    assert answer == {"status": "ok"}


def test_positions_outside_of_a_cell(cells: Cells) -> None:
    run(cells, "kept = 42")
    found = cells.ask("complete", "torch.ran", 100)
    assert "rand" in found["matches"] and (found["start"], found["end"]) == (6, 9)
    assert cells.ask("complete", "torch.ran", -1) == {"matches": [], "start": 0, "end": 0, "kinds": []}
    assert cells.ask("inspect", "torch.add", 100, 0)["text"].startswith("torch.add(")
    assert cells.ask("inspect", "torch.add", -1, 0)["text"].startswith("torch\n")
    assert run(cells, "kept")[0][0][1]["text/plain"] == "42"


def test_a_request_that_fails_keeps_the_session(cells: Cells) -> None:
    run(cells, "kept = 42")
    for request in ("complete", "execute", "completeness"):
        answer = cells.ask(request, None, *["1"] * (request == "complete"))
        assert answer["status"] == "error" and answer["error"][0]
    assert run(cells, "kept")[0][0][1]["text/plain"] == "42"


def test_help_is_asked_for_in_long_lines(cells: Cells) -> None:
    word = "a" * 200_000
    assert cells.ask("inspect", word, len(word), 0) == {"text": ""}
    assert cells.ask("inspect", f"{word} torch.add(", len(word) + 11, 0)["text"].startswith("torch.add(")
    assert cells.ask("inspect", "torch.add(1)(", 13, 0) == {"text": ""}


def test_requests_of_several_threads_follow_each_other(cells: Cells) -> None:
    run(cells, "count = 0")
    answers: list[dict[str, Any]] = []

    def ask() -> None:
        for _ in range(5):
            answers.append(run(cells, "count = count + 1 sys.sleep(0.01)")[1])

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert answers == [{"status": "ok"}] * 10
    assert run(cells, "count")[0][0][1]["text/plain"] == "10"


def test_kernels_are_installed(kernels: Path) -> None:
    for name in ("t7", "itorch"):
        specification = json.loads((kernels / name / "kernel.json").read_text())
        assert specification["argv"][1:] == ["-m", "t7shell.kernel", "-f", "{connection_file}"]
        assert specification["language"] == "lua"


def test_without_ipykernel_the_command_that_brings_it_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    assert command.main(["install"]) == 1
    assert "pip install ipykernel nbformat" in capsys.readouterr().err
    assert command.main(["dance"]) == 2


def test_a_package_is_not_listed_when_it_is_required(cells: Cells) -> None:
    shown, _ = run(cells, "require 'nn'")
    assert [kind for kind, _ in shown] == ["stdout"] and shown[0][1].startswith("package nn: ")
    assert run(cells, "_ == require 'nn'")[0][0][1]["text/plain"] == "true"


def test_errors_have_the_numbers_of_cells() -> None:
    """Cells that are no Lua count, too."""
    cells = Cells()
    try:
        for number, source in enumerate(("x = 1", "?torch.add", "!true"), 1):
            assert cells.ask("execute", source, number)["status"] == "ok"
        assert cells.ask("execute", "error('no')", 4)["error"][1] == "[4]:1: no"
        shown, _ = run(cells, "%history")
        assert shown[0][1].splitlines() == ["  [1]  x = 1", "  [4]  error('no')"]
    finally:
        cells.close()


@pytest.mark.parametrize("name", ["%time", "%timeit", "%%time", "%%timeit"])
def test_commands_time_code(cells: Cells, name: str) -> None:
    run(cells, "count = 0")
    between = "\n" if name.startswith("%%") else " "
    shown, answer = run(cells, f"{name}{between}count = count + 1 count = count + 0")
    assert answer == {"status": "ok"} and [kind for kind, _ in shown] == ["stdout"]
    words = "runs in a series" if "timeit" in name else "(CPU "
    assert words in shown[0][1]
    counted = run(cells, "count")[0][0][1]["text/plain"]
    assert (counted == "1") == ("timeit" not in name)


def test_a_whole_cell_is_timed(cells: Cells) -> None:
    shown, _ = run(cells, "%%time\nlocal a = 20\n-- a comment\nfor i = 1, 2 do a = a + i end\na")
    assert shown[0][1]["text/plain"] == "23" and "(CPU " in shown[1][1]
    shown, _ = run(cells, "%%time")
    assert shown == [("stderr", "%time: usage: %time CODE\n")]


def test_load_fills_the_next_cell(cells: Cells, tmp_path: Path) -> None:
    (tmp_path / "loaded.lua").write_text("x = 1\nprint(x)\n")
    answer = cells.ask("execute", f"%load {tmp_path}/loaded.lua")
    assert answer == {"status": "ok", "next": "x = 1\nprint(x)"}
    assert cells.ask("execute", "x = 2") == {"status": "ok"}


def test_no_editor_is_started_without_a_terminal(cells: Cells) -> None:
    shown, _ = run(cells, "%edit")
    assert shown == [
        ("stderr", "%edit: a notebook has no terminal for editors; %load FILE shows a file as a cell\n")
    ]
