"""Documents of all kinds: directives, plain text with joined lines, notebooks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from t7shell.doctest.directives import DirectiveError, Directives, parse
from t7shell.doctest.examples import Example, find_examples
from t7shell.doctest.joined_lines import Check, split_joined, uncommented
from t7shell.doctest.notebook import notebook_regions
from t7shell.doctest.reader import find_documents, find_regions
from t7shell.doctest.session import LocalSession
from t7shell.kernel.notebook_file import NotebookError


@pytest.fixture(scope="module")
def check() -> Check:
    return LocalSession().check


def examples(text: str, check: Check, suffix: str = ".md") -> list[Example]:
    return [example for region in find_regions(text, suffix) for example in find_examples(region, check)]


# Directives.


def test_directives_are_read() -> None:
    assert parse("skip") == Directives(skip=True)
    assert parse(" random,  expect-error ") == Directives(random=True, expect_error=True)
    assert parse("reset, dialect torch5") == Directives(reset=True, dialect="torch5")


@pytest.mark.parametrize("words", ["skp", "", "skip random", "dialect", "dialect lua", "random 3"])
def test_what_is_no_directive_is_a_mistake(words: str) -> None:
    with pytest.raises(DirectiveError):
        parse(words)


def test_a_directive_in_markdown_is_about_the_next_block(check: Check) -> None:
    text = (
        "<!-- t7: random, reset -->\n\n```\n> a = 1\n> b = 2\n```\n```\nc = 3\n```\n"
        "<!-- t7: random -->\n```bash\nls\n```\n<!-- t7: skip -->\n\n    > d = 4\n    > = d\n    4\n"
    )
    assert [(e.source, e.directives) for e in examples(text, check)] == [
        ("a = 1", Directives(random=True, reset=True)),
        ("b = 2", Directives(random=True)),
        ("c = 3", Directives()),
        ("d = 4", Directives(skip=True)),
        ("= d", Directives(skip=True)),
    ]


def test_a_directive_behind_code_is_about_its_example(check: Check) -> None:
    text = (
        "```\n> = f() -- t7: expect-error\nno\n"
        "> for i = 1, 2 do -- t7: skip\n>> print(i)\n>> end\n> = 2\n```\n"
    )
    assert [e.directives for e in examples(text, check)] == [
        Directives(expect_error=True),
        Directives(skip=True),
        Directives(),
    ]


@pytest.mark.parametrize("prompt", ["", "> "])
def test_a_directive_on_its_own_line_is_about_the_next_example(prompt: str, check: Check) -> None:
    text = f"```\n{prompt}a = 1\n-- t7: random\n{prompt}b = 2\n{prompt}c = 3\n```\n"
    found = examples(text, check)
    assert found[0].source == "a = 1"
    assert [e.directives.random for e in found] == ([False, True, False] if prompt else [False, True])


def test_a_mistake_in_a_directive_names_the_line(check: Check) -> None:
    with pytest.raises(DirectiveError, match=r"^3: unknown directive 'skp'"):
        examples("```\na = 1\n-- t7: skp\nb = 2\n```\n", check)


# Plain text.


def test_joined_lines_are_split(check: Check) -> None:
    line = "print(x:dim()) 6 > print(x:size()) 4 5 [torch.LongStorage of size 2]This is prose"
    assert split_joined(line, check) == [
        ("print(x:dim())", "6"),
        ("print(x:size())", "4 5 [torch.LongStorage of size 2]"),
    ]
    line = "for i = 1, 2 do -- count >> s[i] = i >> end > print(x) -- the storage 1 2"
    assert split_joined(line, check) == [
        ("for i = 1, 2 do -- count\ns[i] = i\nend", ""),
        ("print(x)", "-- the storage 1 2"),
    ]
    assert split_joined("x:fill(1) -- narrow returns a view -- of x > print(x) 1 1", check) == [
        ("x:fill(1)", ""),
        ("print(x)", "1 1"),
    ]


def test_a_comparison_is_no_prompt(check: Check) -> None:
    assert split_joined("if a > b then c = 1 end = 3 > print(1) 1", check) == [
        ("if a > b then c = 1 end", "= 3"),
        ("print(1)", "1"),
    ]


def test_code_behind_a_comment_is_found(check: Check) -> None:
    line = "--- a 4D-tensor 4x5 z = torch.Tensor(4,5) --- or one can do: s = {} s[1] = 4; s[2] = 5"
    assert uncommented(line, check) == "z = torch.Tensor(4,5)\ns = {} s[1] = 4; s[2] = 5"
    assert uncommented("-- nothing but a remark", check) == ""


def test_code_between_prose_of_plain_text(check: Check) -> None:
    text = (
        "One can write\n x = torch.Tensor(7,7,7)\n\nand x = 3 is prose.\n= x[3][4][5]or the same (slowly!)\n"
        "y = 1 is a fine value\n> = 1 2 3\nThe end.\n"
    )
    found = examples(text, check, ".txt")
    assert [(e.line, e.source.strip(), e.wanted) for e in found] == [
        (2, "x = torch.Tensor(7,7,7)", ""),
        (5, "= x[3][4][5]", ""),
        (7, "= 1", "2 3"),
    ]
    assert examples(text, check, ".md") == []


# Notebooks.

V3: dict[str, Any] = {
    "metadata": {},
    "nbformat": 3,
    "worksheets": [
        {
            "cells": [
                {"cell_type": "markdown", "source": ["x = 'no code'"]},
                {
                    "cell_type": "code",
                    "input": ["x = torch.ones(2)\n", "print(x)"],
                    "outputs": [
                        {
                            "output_type": "stream",
                            "stream": "stdout",
                            "text": [" 1\n", " 1\n", "[torch.DoubleTensor of size 2]\n"],
                        },
                    ],
                },
                {
                    "cell_type": "code",
                    "input": "x[1]",
                    "outputs": [
                        {"output_type": "pyout", "text": ["\u001b[0;36m1\u001b[0m\t\n"]},
                        {"output_type": "display_data", "png": "aaaa"},
                    ],
                },
                {
                    "cell_type": "code",
                    "input": ["error('no')"],
                    "outputs": [{"output_type": "pyerr", "evalue": "no", "traceback": ["no", "at 1"]}],
                },
            ]
        }
    ],
}
V4: dict[str, Any] = {
    "cells": [
        {
            "cell_type": "code",
            "source": ["-- t7: random\n", "x = torch.rand(1)\n", "\n", "x[1]"],
            "outputs": [
                {"output_type": "stream", "name": "stderr", "text": ["a warning\n"]},
                {"output_type": "execute_result", "data": {"text/plain": "0.5", "text/html": "<b>"}},
            ],
        },
        {"cell_type": "code", "source": [], "outputs": []},
    ],
    "nbformat": 4,
}


def test_cells_of_both_formats(check: Check) -> None:
    found = examples(json.dumps(V3, indent=1), check, ".ipynb")
    assert [(e.cell, e.source, e.wanted) for e in found] == [
        (1, "x = torch.ones(2)\nprint(x)", " 1\n 1\n[torch.DoubleTensor of size 2]"),
        (2, "x[1]", "1"),
        (3, "error('no')", "no"),
    ]
    (only,) = examples(json.dumps(V4, indent=1), check, ".ipynb")
    assert (only.source.splitlines()[1:], only.wanted) == (["x = torch.rand(1)", "", "x[1]"], "0.5")
    assert only.directives == Directives(random=True)


def test_the_line_of_a_cell_is_that_of_the_file() -> None:
    text = json.dumps(V3, indent=1)
    lines = text.splitlines()
    places = [region.lines[0] for region in notebook_regions(text)]
    assert len(places) == 3
    assert all(json.dumps(place.text) in lines[place.number - 1].replace("\\n", "") for place in places)


@pytest.mark.parametrize("text", ["", "[1, 2]", '{"a": 1}', "{"])
def test_what_is_no_notebook(text: str) -> None:
    with pytest.raises(NotebookError):
        notebook_regions(text)


def test_documents_of_a_folder_by_their_suffixes(tmp_path: Any) -> None:
    for name in ("b.md", "a.txt", "deep/c.ipynb", "d.lua", ".hidden/e.md"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    inside = [path[len(str(tmp_path)) + 1 :] for path in find_documents([str(tmp_path)])]
    assert inside == ["a.txt", "b.md", "deep/c.ipynb"]
    assert find_documents([str(tmp_path / "d.lua")]) == [str(tmp_path / "d.lua")]
    with pytest.raises(FileNotFoundError):
        find_documents([str(tmp_path / "missing.md")])


def test_a_byte_order_mark_hides_no_fence(check: Check) -> None:
    text = "\ufeff```lua\nt7> 1 + 1\n2\n```\n"
    assert [example.source for example in examples(text, check)] == ["1 + 1"]
