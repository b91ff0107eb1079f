"""What is pasted from sessions and documents: its inputs run, its prompts and output do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell.engine.engine import Engine
from t7shell.engine.result import Status
from t7shell.prompt import commands, transcript
from t7shell.prompt.analysis import Analysis
from tests.prompt_fixtures import open_prompt, paste

TENSOR = " 1\n 1\n[torch.DoubleTensor of dimension 2]\n"


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    assert commands.COMMANDS
    return Analysis(Engine())


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        # A command ends with its line.
        ("$ ls\nx = 1\nx", ["$ ls", "x = 1\nx"]),
        ("$ ls\n\n! pwd\n%who\nx", ["$ ls", "! pwd", "%who", "x"]),
        ("$ make \\\n  all\nx", ["$ make \\\n  all", "x"]),
        ("$ cat <<'END'\nth> x\nEND\nx", ["$ cat <<'END'\nth> x\nEND", "x"]),
        ("$ cat <<END\nth> x\n", ["$ cat <<END", "x"]),
        # So does one with code, unless the code goes on.
        ("%timeit 1+1\n%timeit 2+2", ["%timeit 1+1", "%timeit 2+2"]),
        ("%time x = 1\nprint(3)\nx", ["%time x = 1", "print(3)\nx"]),
        ("%time for i = 1, 3 do\n  n = i\nend\nn", ["%time for i = 1, 3 do\n  n = i\nend", "n"]),
        ("%time t = {\n1}\n\n%who\n?torch\nt", ["%time t = {\n1}", "%who", "?torch", "t"]),
        ("%%time\nx = 1\nx", []),
        # After a complete statement % begins a command.
        ("y = 2\n%time y = y + 1\ny", ["y = 2", "%time y = y + 1", "y"]),
        ("for i = 1, 2 do\n  y = i\nend\n\n%who\ny", ["for i = 1, 2 do\n  y = i\nend", "%who", "y"]),
        # These are operators and text.
        ("x = (7\n%time\n)", []),
        ("x = 7\n  %time", []),
        ("x = 7\n% time", []),
        ("x = 7\n%nosuch", []),
        ("x = 7 +\n%time", []),
        ("for i = 1, 2 do\nx = i\n%time y = 1\nend", []),
        ("s = [[\n%time x = 1\n]]", []),
        # The start of the session is none of its inputs.
        ("$ th\n\n  Torch\n\nth> net = 1\nth> net\n1\n", ["net = 1", "net"]),
        ("$ ls\nnet  old\n$ th\nth> net\nold\n", ["$ ls", "net"]),
        # The style of Torch7's manual.
        (f"x = torch.ones(2)\n> x\n{TENSOR}", ["x = torch.ones(2)", "x"]),
        (
            f"x = torch.ones(2)\n> x\n{TENSOR}y = x\nz = 2\n> z\n2\n",
            ["x = torch.ones(2)", "x", "y = x\nz = 2", "z"],
        ),
        ("t = {1,\n2}\n> t\n{\n  1 : 1\n  2 : 2\n}\n", ["t = {1,\n2}", "t"]),
        ("x = 1 > 2", []),
        # Markdown.
        ("```lua\nx = 1\nx\n```", ["x = 1\nx"]),
        ("```\nx\n```\n\nor:\n\n~~~ lua\ny\n```\n~~~\n```bash\nrm x\n```", ["x", "y\n```"]),
        ("Don't worry:\n\n```lua\nx = 1\n```\n\nor\n\n```\nt7> x\n```\n", ["x = 1", "t7> x"]),
        ("s = [[\n```lua\nx = 1\n```\n]] y y", []),
        ("--[[\n```lua\nx = 1\n```\n]] y y", []),
        # Python and notebooks.
        (
            ">>> for i = 1, 2 do\n...   print(i)\n... end\n1\n2\n>>> x\n1",
            ["for i = 1, 2 do\n  print(i)\nend", "x"],
        ),
        ("In [1]: x = 1\n   ...: y = 2\n\nIn [2]: x\nOut[2]: 1\n", ["x = 1\ny = 2", "x"]),
        ("In [1]:\n\nx = 1\nx\n\nOut[1]:\n\n1\n\nIn [2]:\nx\n", ["x = 1\nx", "x"]),
        ("t7 [12]> x\n5\n", ["x"]),
        ("t7> f = function()\n  return 1\nend\n5\nt7> f()\n1", ["f = function()\n  return 1\nend", "f()"]),
    ],
)
def test_inputs(analysis: Analysis, text: str, pieces: list[str]) -> None:
    assert analysis.is_finished(text)
    assert analysis.statements(text) == pieces


@pytest.mark.parametrize("text", ["%time x = 1\nfor i = 1, 2 do", "y = 2\n%time for i = 1, 3 do\nprint(i)"])
def test_the_last_of_several_inputs_may_be_unfinished(analysis: Analysis, text: str) -> None:
    assert not analysis.is_finished(text)
    assert analysis.is_finished(text + "\nend")


def test_an_open_fence_is_unfinished(analysis: Analysis) -> None:
    assert not analysis.is_finished("```lua")
    assert not analysis.is_finished("```lua\nx = 1\n")


def test_few_checks_find_the_end_of_a_long_input() -> None:
    """Each one compiles the input."""
    checked: list[int] = []
    text = "t7> x = {\n" + "1,\n" * 100_000 + "}\n" + "5\n" * 1000 + "t7> x"

    def is_finished(source: str) -> bool:
        checked.append(len(source))
        return "}" in source

    found = transcript.inputs(text, is_finished)
    assert [len(source) for source in found] == [len("x = {\n") + 300_001, 1]
    assert len(checked) < 50


def test_a_pasted_prompt_writes_no_file(tmp_path: Path) -> None:
    """To the shell, `th> net` is a redirection."""
    terminal = open_prompt()
    try:
        terminal.type(f"%cd {tmp_path}\r")
        terminal.expect(f"\n{tmp_path}\n")
        paste(terminal, "$ echo one\none\n$ th\nth> net = 41\nth> net + 1\n42\n")
        terminal.expect("\n42\n")
        assert "\none\n" in terminal.shown
    finally:
        terminal.close()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["#!/usr/bin/env t7", "#!/usr/bin/t7 -i\nx = 1\nx", "\n #!/bin/th\n1"])
def test_the_first_line_of_a_script_is_skipped(analysis: Analysis, text: str) -> None:
    assert analysis.status(text) is Status.OK
    assert analysis.statements(text) == []


def test_a_pasted_script_runs_and_keeps_its_line_numbers() -> None:
    terminal = open_prompt()
    try:
        paste(terminal, "#!/usr/bin/env t7\nlocal x = 6\nprint(x * 7)\nerror('here')\n")
        terminal.expect("\n42\n[1]:4: here\n")
    finally:
        terminal.close()


def test_pasted_commands_run_one_by_one() -> None:
    terminal = open_prompt()
    try:
        paste(terminal, "y = 2\n%time y = y + 1\n%time for i = 1, 3 do\n  y = y * i\nend\nprint(y)")
        terminal.expect("\n18\n")
        assert terminal.shown.count("(CPU") == 2
    finally:
        terminal.close()
