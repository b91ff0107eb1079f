"""Documents with the habits of old manuals: source without prompts, blocks that are no Lua."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell.doctest.report import Report, Verdict
from t7shell.doctest.session import LocalSession
from tests.documents import run_document


def run(folder: Path, page: str, name: str = "page.md", **options: float) -> Report:
    path = folder / name
    path.write_text(page)
    return run_document(path, LocalSession, **options)


NOT_LUA = [
    "$ luarocks install torch\nInstalling https://rocks.example/torch\n",
    "epoch 1 loss 0.5\n\naccuracy = 0.9\n",
    "f(x) = max(0, x)\n",
    "| a | b |\n|---|---|\n",
    "> git clone somewhere\nCloning into 'somewhere'\n",
    "├── data\n└── train.lua\n",
    "[res] torch.add([res,] tensor1, tensor2)\n",
]


@pytest.mark.parametrize("block", NOT_LUA)
def test_a_block_that_is_no_lua_is_passed_over(tmp_path: Path, block: str) -> None:
    report = run(tmp_path, f"```\n{block}```\n\n```\n> = 1\n1\n```\n")
    assert report.ok and len(report.outcomes) == 1, report.text()
    assert "(1 block skipped: not Lua)" in report.summary()


@pytest.mark.parametrize("code", ["print(\"hello\"", "x = nn.Linear(2, [bias])", "> print('hello'"])
def test_a_fence_of_lua_that_does_not_compile_fails(tmp_path: Path, code: str) -> None:
    report = run(tmp_path, f"```lua\n{code}\n```\n")
    assert len(report.failures) == 1 and report.skipped_lines == ()


ANNOUNCEMENTS = ["Output:", "**Output:**", "Output", "> *Result*:", "This prints:", "The output is:"]


@pytest.mark.parametrize("line", ANNOUNCEMENTS)
@pytest.mark.parametrize("shown", ["```\n{}\n```\n", "```text\n{}\n```\n", "    {}\n"])
def test_a_line_may_announce_the_output(tmp_path: Path, line: str, shown: str) -> None:
    text = f"```lua\nprint(1 + 1)\n```\n\n{line}\n\n{shown}"
    assert [outcome.verdict for outcome in run(tmp_path, text.format(2)).outcomes] == [Verdict.PASSED]
    assert len(run(tmp_path, text.format(3)).failures) == 1


def test_other_lines_end_what_belongs_to_the_code(tmp_path: Path) -> None:
    report = run(tmp_path, "```lua\nprint(1)\n```\n\nWithout results, run this:\n\n```\nx = 3\n```\n")
    assert report.ok and len(report.outcomes) == 2


@pytest.mark.parametrize("language", ["lua", ""])
def test_a_mistake_in_lua_is_no_reason_to_pass_it_over(tmp_path: Path, language: str) -> None:
    code = "local x = torch.Tensor(3\nlocal y = 2\nprint(y)\nlocal z = y + 2\nprint(z)\n"
    report = run(tmp_path, f"```{language}\n{code}```\n")
    assert len(report.failures) == 1


@pytest.mark.parametrize("prompt", [">", "th>"])
def test_what_stands_before_the_first_prompt_may_be_no_lua(tmp_path: Path, prompt: str) -> None:
    report = run(tmp_path, f"```\n$ th\n  Torch7, a shell\n{prompt} = 1 + 1\n2\n```\n")
    assert report.ok and report.skipped_lines == (2,) and len(report.outcomes) == 1, report.text()


def test_a_prompt_with_a_name_is_always_an_example(tmp_path: Path) -> None:
    assert run(tmp_path, "```\nth> git clone\n```\n").failures


def test_lines_of_dots_end(tmp_path: Path) -> None:
    dots = "." * 60
    page = f"```\n> print('1/1 name {dots[:57]} [FAIL]')\n1/1 name {dots} [PASS]\n```\n"
    assert len(run(tmp_path, page).failures) == 1
    page = f"```\n> print('1/1 name {dots[:57]} [PASS]')\n1/1 name {dots} [PASS]\n```\n"
    assert run(tmp_path, page).ok


def test_an_ellipsis_takes_the_leftmost_place_that_fits(tmp_path: Path) -> None:
    page = "```\n> print('1 2 1 1 end 0.3333 end')\n... 1 1 ... 0.33 ...\n> print('a b')\n... c ...\n```\n"
    report = run(tmp_path, page)
    assert [outcome.verdict for outcome in report.outcomes] == [Verdict.PASSED, Verdict.FAILED]


def test_the_time_limit_holds_for_comparisons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(wanted: str, got: str) -> None:
        while True:
            pass

    monkeypatch.setattr("t7shell.doctest.judge.compare", endless)
    report = run(tmp_path, "```\n> = 1\n1\n> x = 1\n```\n", timeout=0.1)
    assert [outcome.error for outcome in report.outcomes] == ["the comparison timed out after 0.1 s", ""]


@pytest.mark.parametrize(
    ("code", "output"),
    [
        ("x = 5\nx", "5"),
        ("local a, b = 2, {3}\n#b + a", "3"),
        ("t = {n = 4}\nt.n = t.n + 1\n\nt.n", "5"),
        ("x = 5\nprint('y')\nx + 1", "y\n6"),
    ],
)
def test_the_last_line_of_lua_may_be_a_value(tmp_path: Path, code: str, output: str) -> None:
    for shown in (f"```lua\n{code}\n```\n\n```\n{output}\n```\n", f"```lua\n{code}\n{output}\n```\n"):
        report = run(tmp_path, shown)
        assert report.ok and len(report.outcomes) == 1, report.text()
        assert report.outcomes[0].verdict is Verdict.PASSED
    assert not run(tmp_path, f"```lua\n{code}\n```\n\n```\n{output}1\n```\n").ok


def test_a_name_that_is_printed_is_output(tmp_path: Path) -> None:
    report = run(tmp_path, "```lua\nx = 5\nprint('hello')\nhello\n```\n")
    assert report.outcomes[0].verdict is Verdict.PASSED and report.outcomes[0].example.wanted == "hello"


@pytest.mark.parametrize("words", ['lua title="a=b(c).lua"', "lua hl='1 2' n=1", "{.lua #x a=1}"])
def test_the_language_of_a_fence_may_have_attributes(tmp_path: Path, words: str) -> None:
    report = run(tmp_path, f"```{words}\nprint(1)\n```\n\n```\n2\n```\n")
    assert len(report.outcomes) == 1 and not report.ok


def test_a_local_variable_of_another_example_is_named(tmp_path: Path) -> None:
    page = "```lua\nlocal a, x = 1, 2\n```\n\n```lua\nprint(x.y)\n```\n\n```lua\nprint(zz.y)\n```\n"
    first, second = run(tmp_path, page).failures
    assert first.error.endswith("\n'x' was local to the example in line 2; without `local` it stays")
    assert second.error.endswith("attempt to index global 'zz' (a nil value)")
