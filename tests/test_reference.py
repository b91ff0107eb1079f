"""The reference in `docs/` is generated from the rows of the operations and their examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from t7shell.cli import reference
from t7shell.engine.engine import Engine

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "reference"


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return reference.pages()


def rows(engine: Engine, field: str) -> dict[str, str]:
    """A field of the rows of all operations, by name."""
    listing = f"""
        local torch = require('torch.dispatch.install').by_name.torch
        for name in pairs(torch.chapter_of) do print(name, torch.rows[name].{field}) end"""
    with engine.capture() as out:
        assert engine.execute(listing).ok
    return dict(line.split("\t", 1) for line in out[0].splitlines())


def test_pages_are_up_to_date(made: dict[str, str]) -> None:
    found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*")}
    assert sorted(found) == sorted(made)
    stale = [name for name in made if found[name] != made[name]]
    assert not stale, "run `python -m t7shell.cli.reference`"


def test_each_operation_is_on_the_page_of_its_chapter(engine: Engine, made: dict[str, str]) -> None:
    chapters = rows(engine, "chapter")
    for name, chapter in chapters.items():
        assert f"\n## {name}\n" in made[f"{chapter}.md"]
    pages = [page for name, page in made.items() if "/" not in name and name != "index.md"]
    headings = re.findall(r"^## (\w+)$", "".join(pages), re.MULTILINE)
    assert sorted(headings) == sorted(chapters)


def test_each_operation_has_a_sentence_and_an_example_that_calls_it(engine: Engine) -> None:
    texts = engine.helper("torch.dispatch.reference")
    for name in rows(engine, "chapter"):
        assert (texts.doc(name) or "").endswith("."), name
        assert re.search(rf"[.:]{name}\b", texts.example(name) or ""), name


def test_errors_are_shown_only_where_they_are_meant(made: dict[str, str]) -> None:
    raised = re.findall(r"^\[1\]:1: (.*?):", "".join(made.values()), re.MULTILINE)
    assert sorted(raised) == ["inverse", "mm", "potrf"]


def test_examples_run_alone(engine: Engine) -> None:
    """The help shows one without the others, so none may need the definitions of another."""
    texts = engine.helper("torch.dispatch.reference")
    for name in rows(engine, "chapter"):
        example = texts.example(name)
        used = set(re.findall(r"(?<![\w.:'])[a-z]\w*", re.sub(r"'[^']*'", "", example)))
        given = set(re.findall(r"(?<![\w.:])[a-z]\w*(?=(?:, *\w+)* *=[^=])", example))
        assert used - given <= {"torch", "math", "table", "true", "false"}, (name, used - given)


def test_forms_name_the_arguments(engine: Engine) -> None:
    texts = engine.helper("torch.dispatch.reference")

    def forms(name: str) -> list[tuple[str, str, bool]]:
        return [(form[1], form[2], bool(form[3])) for form in texts.forms(name).values()]

    assert forms("add") == [
        ("torch.add([res,] x, value)", "x:add(value)", True),
        ("torch.add([res,] x [, scale=1], y)", "x:add([scale=1,] y)", True),
    ]
    assert forms("mv") == [("torch.mv([res,] matrix, x)", "res:mv(matrix, x)", False)]
    assert forms("indexFill") == [("", "x:indexFill(dim, index, value)", False)]
    assert forms("bitand") == [("torch.bitand([res,] x, value)", "x:bitand(value)", True)]


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("add", "all"),
        ("exp", "Double, Float, Half"),
        ("bitand", "Long, Byte, Int, Char, Short"),
        ("any", "Byte"),
        ("abs", "Double, Float, Long, Int, Half"),
    ],
)
def test_element_types(engine: Engine, name: str, types: str) -> None:
    assert engine.helper("torch.dispatch.reference").types(name) == types
    named = {"all": "Double, Float, Long, Byte, Int, Char, Short, Half"}.get(types, types).split(", ")
    arguments = "1" if name in ("add", "bitand") else ""
    for row in ("Double", "Float", "Long", "Byte", "Int", "Char", "Short", "Half"):
        result = engine.execute(f"local x = torch.ones(2):type('torch.{row}Tensor'); x:{name}({arguments})")
        assert result.ok == (row in named), (row, result.message)


def test_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "pages", lambda: {"a.md": "# a\n"})
    reference.write(tmp_path / "new")
    assert (tmp_path / "new" / "a.md").read_text() == "# a\n"
