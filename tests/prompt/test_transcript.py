"""What is pasted from sessions and documents: its inputs run, its prompts and output do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell.engine.engine import Engine
from t7shell.prompt import transcript
from t7shell.prompt.analysis import Analysis
from tests.prompt_fixtures import open_prompt, paste

TENSOR = " 1\n 1\n[torch.DoubleTensor of dimension 2]\n"


@pytest.fixture(scope="module")
def analysis() -> Analysis:
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
