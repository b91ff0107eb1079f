"""What is done at each key does not grow with the input or the history."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.layout.controls import BufferControl
from prompt_toolkit.layout.processors import TransformationInput
from prompt_toolkit.lexers import Lexer

from t7shell.engine.engine import Engine
from t7shell.engine.report import report
from t7shell.prompt import large_inputs
from t7shell.prompt.analysis import Analysis
from t7shell.prompt.completion import LuaCompleter
from t7shell.prompt.large_inputs import Excerpt, HistorySuggestions, SmallInputs, before_cursor


class Counter(Lexer):
    """Counts the characters that it gets."""

    count = 0

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        self.count += len(document.text)
        return lambda line: [("class:counted", document.lines[line])]


def test_large_inputs_are_not_coloured() -> None:
    counter = Counter()
    lexer = SmallInputs(counter)
    assert lexer.lex_document(Document("x = 1"))(0) == [("class:counted", "x = 1")]
    assert lexer.lex_document(Document("x = 1\n" * 100_000))(7)[0][1] == "x = 1"
    assert counter.count == len("x = 1")


def test_completion_reads_the_end() -> None:
    text = "x = 1\n" * 100_000 + "torch.ran"
    assert before_cursor(Document("torch.ran")) == "torch.ran"
    assert before_cursor(Document("ab", 1)) == "a"
    found = before_cursor(Document(text))
    assert text.endswith(found) and found.startswith("x = 1\n") and len(found) < 100_000
    assert len(before_cursor(Document("a" * 10**6))) < 100_000


def transformed(line: str, cursor: int) -> tuple[str, Callable[[int], int], Callable[[int], int]]:
    document = Document(line, cursor)
    done = Excerpt().apply_transformation(
        TransformationInput(BufferControl(), document, 0, lambda i: i, [("", line)], 80, 24)
    )
    return "".join(part[1] for part in done.fragments), done.source_to_display, done.display_to_source


@pytest.mark.parametrize("cursor", [0, 500_000, 1_000_000])
def test_long_lines_are_shown_around_the_cursor(cursor: int) -> None:
    line = "".join(chr(97 + at * at % 23) for at in range(1_000_000))
    shown, to_display, to_source = transformed(line, cursor)
    assert len(shown) < 20_000
    at = to_display(cursor)
    assert to_source(at) == cursor
    if cursor:
        assert shown[at - 5 : at] == line[cursor - 5 : cursor]
    if cursor < len(line):
        assert shown[at : at + 5] == line[cursor : cursor + 5]
    assert [shown.startswith("..."), shown.endswith("...")] == [cursor > 0, cursor < len(line)]
    # All positions of the line are somewhere on the screen.
    assert 0 <= to_display(0) <= to_display(len(line)) <= len(shown)


def test_short_lines_are_shown_whole() -> None:
    assert transformed("x = 1", 2)[0] == "x = 1"


def suggested(entries: list[str], typed: str) -> str | None:
    history = InMemoryHistory()
    for entry in entries:
        history.append_string(entry)
    found = HistorySuggestions().get_suggestion(Buffer(history=history), Document(typed))
    return found.text if found else None


def test_suggestions_pass_over_long_entries() -> None:
    assert suggested(["x = 1", "x = 2\ny = 3"], "x =") == " 2"
    assert suggested(["x = 1", "x = {" + "1," * 10**6 + "}"], "x =") == " 1"
    assert suggested(["x = 1"], "if a then\nx") == " = 1"
    assert suggested(["x = 1"], "y") is None and suggested(["x = 1"], "  ") is None


def test_suggestions_search_a_part_of_the_history(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_inputs, "_SEARCHED", 20)
    assert suggested(["first = 1", *["other = 2"] * 3], "fir") is None
    assert suggested(["first = 1", "other = 2"], "fir") == "st = 1"


WORD = "a" * 60_000


@pytest.mark.parametrize(
    "text",
    [
        "torch." * 10_000,
        "x:" * 30_000,
        "x[1]." * 12_000,
        "(" * 60_000,
        f"{WORD} ",
        f"{WORD}.",
        f"{WORD}():",
        f"local {WORD} =",
    ],
)
def test_a_key_after_long_words_and_chains_takes_no_minutes(text: str) -> None:
    engine = Engine()
    assert not list(engine.helper("shell.complete")(text.encode())[1].values())
    assert engine.helper("shell.usage").signature(text.encode()) is None
    typed, found = engine.helper("shell.complete")(f"{text}; torch.ran".encode())
    assert typed == "ran" and [entry[1] for entry in found.values()][:2] == ["rand", "randn"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 1 " * 10_000 + "(", "near '<eof>'"),
        ('{"a": 1, ' * 10_000, "near ':'"),
        ("a." * 10_000 + "(", "near '('"),
        ("if x then " * 10_000, "too many syntax levels"),
        ("--[[" * 10_000, "unfinished long comment"),
        ("x = 1 " * 100_000 + "y y", "near 'y'"),
    ],
    ids=["end", "json", "chain", "levels", "comment", "statements"],
)
def test_an_error_in_a_long_line_shows_a_part_of_it(source: str, said: str) -> None:
    engine = Engine()
    number = engine.helper("shell.prompt").enter(source.encode())
    shown = report(engine.execute(source, f"=[{int(number)}]", "prompt"), engine)
    assert said in shown.splitlines()[0]
    assert all(len(line) <= 1000 for line in shown.splitlines())


@pytest.mark.parametrize("last", ["x", "1 + 1", "x = 5; x", "x.y = 1", "! true"])
def test_an_input_after_many_blank_lines(last: str) -> None:
    engine = Engine()
    engine.execute("x = {}")
    source = "\n" * 20_000 + last
    analysis = Analysis(engine)
    assert analysis.is_finished(source)
    record = engine.helper("shell.prompt").run(source.encode(), analysis.code(source).encode(), False)
    assert record["status"] == "ok"


def test_characters_of_a_paste_are_completed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    completer = LuaCompleter(engine)
    calls: list[object] = []
    monkeypatch.setattr(engine, "try_call", lambda *args: calls.append(args))
    for _ in range(3):
        assert not list(completer.get_completions(Document("qqq"), CompleteEvent(text_inserted=True)))
    assert len(calls) == 1
    list(completer.get_completions(Document("qqq"), CompleteEvent(completion_requested=True)))
    assert len(calls) == 2


def test_many_commands_of_the_system_take_no_minutes() -> None:
    engine = Engine()
    lines = "".join(f"x = [[{at}\n]]\n!true {at}\n" for at in range(3000))
    source = f"for i = 1, 2 do\n{lines}\nend"
    start = time.process_time()
    assert Analysis(engine).code(source).count("shell.system") == 3000
    assert time.process_time() - start < 5
