"""The reference in `docs/` is generated from the rows of the operations and their examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from t7shell.cli import reference, see_also
from t7shell.engine.engine import Engine

ROOT = Path(__file__).resolve().parents[1]
BATCH = {"b": 2, "n": 3, "p": 4}
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
    others = ("index.md", "methods.md")
    pages = [page for name, page in made.items() if "/" not in name and name not in others]
    headings = re.findall(r"^## (\w+)$", "".join(pages), re.MULTILINE)
    assert sorted(headings) == sorted(chapters)


def test_each_section_has_signatures_shapes_an_example_and_what_to_see(made: dict[str, str]) -> None:
    anchors = {
        (name, re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-"))
        for name, page in made.items()
        for title in re.findall(r"^## (.+)$", page, re.MULTILINE)
    }
    lacking = []
    for name, page in made.items():
        for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:] if name != "index.md" else ():
            title = section.partition("\n")[0]
            word = title.partition(",")[0]
            last = re.escape(word.rpartition(".")[2])
            has = {
                "signature": re.search(rf"^(?:\|.*|    nn)[.:]{last}[({{]", section, re.MULTILINE),
                "shapes": re.search(r"^Shapes: `[^`]+`", section, re.MULTILINE),
                "example": re.search(rf"^t7> .*\b{last}\b", section, re.MULTILINE),
                "see also": re.search(r"^See also: \[", section, re.MULTILINE),
            }
            lacking += [f"{name}: {title}: {what}" for what, found in has.items() if not found]
            links = re.findall(r"\]\(([\w/]*\.md)?#([\w-]+)\)", section)
            lacking += [
                f"{name}: {title}: {anchor}"
                for page_name, anchor in links
                if not page_name.startswith("../") and (page_name or name, anchor) not in anchors
            ]
    assert not lacking


def test_operations_without_a_function_have_no_column_for_it(made: dict[str, str]) -> None:
    assert "\n## index\n\n| method |\n|---|\n| `res:index(x, dim, index)` |\n" in made["pick.md"]
    without = re.compile(r"\| method \|\n\|---\|---\|\n(?:\|  \| .*\n)+\n")
    empty = [name for name, page in made.items() if without.search(page)]
    assert not empty


def test_what_to_see_beside_an_operation() -> None:
    """Names in the text come first, then names that share a rare word, then neighbors."""
    titles = {"nn.LookupTable": "Rows.", "nn.Max": "As Lookup.", "nn.LookupTableMasked": "Zero: nn.Max."}
    entries = [see_also.Entry("nn.md", title, text) for title, text in titles.items()]
    entries += [see_also.Entry("reduce.md", name, "The largest.") for name in ("max", "cmax")]
    see = see_also.SeeAlso(entries)
    assert [one.title for one in see.of("nn.LookupTableMasked")] == ["nn.Max", "nn.LookupTable"]
    assert see.of("nn.LookupTable")[0].title == "nn.LookupTableMasked"
    assert [one.title for one in see.of("max")] == ["cmax", "nn.Max"]
    assert see.links("cmax") == "[`max`](#max)"


def test_a_method_of_another_object_is_no_mention() -> None:
    texts = {"sized": "In x:size().", "lists": "In list:size().", "size": "All."}
    see = see_also.SeeAlso([see_also.Entry(f"{name}.md", name, text) for name, text in texts.items()])
    assert [one.title for one in see.of("sized")] == ["size"] and see.of("lists") == []


def test_the_overview_speaks_to_users_and_leads_to_each_section(made: dict[str, str]) -> None:
    index = made["index.md"]
    assert "python -m" not in index and "rows" not in index.partition("## torch")[0]
    assert "(arithmetic.md#add)" in index and "(nn_convolution.md#nnspatialconvolution)" in index


@pytest.mark.parametrize(
    ("name", "call", "sizes"),
    [
        ("gels", "torch.gels(torch.rand(5, 2), torch.rand(5, 3))", {"m": 5, "k": 2, "n": 3}),
        ("match", "torch.match(torch.rand(4, 3), torch.rand(5, 3))", {"n": 4, "k": 3, "m": 5}),
        ("baddbmm", "torch.baddbmm(torch.ones(2, 3, 4), torch.ones(2, 3, 5), torch.ones(2, 5, 4))", BATCH),
        ("geqrf", "torch.geqrf(torch.rand(5, 3))", {"m": 5, "n": 3}),
        ("ger", "torch.ger(torch.rand(2), torch.rand(3))", {"n": 2, "m": 3}),
        ("eig", "torch.eig(torch.rand(3, 3), 'V')", {"n": 3}),
        ("multinomial", "torch.multinomial(torch.rand(2, 4), 3, true)", {"b": 2, "n": 3}),
        ("bhistc", "torch.bhistc(torch.rand(2, 4), 5)", {"b": 2, "n": 5}),
    ],
)
def test_shapes_are_those_of_results(
    engine: Engine, made: dict[str, str], name: str, call: str, sizes: dict[str, int]
) -> None:
    sections = (part for page in made.values() for part in page.split("\n## "))
    section = next(part for part in sections if part.startswith(f"{name}\n"))
    shapes = re.findall(r"^Shapes: `(.+)`", section, re.MULTILINE)[0].split("; ")[-1].partition(" -> ")[2]
    first = shapes.split(", ")[0]
    with engine.capture() as out:
        assert engine.execute(f"print(table.concat({call}:size():totable(), ' x '))").ok
    assert re.sub(r"[a-z](?!\w)(?<! x)", lambda m: str(sizes.get(m[0], m[0])), first) == out[0].strip()


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

    def signatures(name: str) -> list[tuple[str, str, bool]]:
        return [(form[1], form[2], bool(form[3])) for form in texts.signatures(name).values()]

    assert signatures("add") == [
        ("torch.add([res,] x, value)", "x:add(value)", True),
        ("torch.add([res,] x [, scale=1], y)", "x:add([scale=1,] y)", True),
    ]
    assert signatures("mv") == [("torch.mv([res,] matrix, x)", "res:mv(matrix, x)", False)]
    assert signatures("indexFill") == [("", "x:indexFill(dim, index, value)", False)]
    assert signatures("bitand") == [("torch.bitand([res,] x, value)", "x:bitand(value)", True)]


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
