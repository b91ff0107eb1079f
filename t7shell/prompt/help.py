"""The text of `?name`, `help(value)` and `t7 help`: facts from Lua about a name, and the manual's entry."""

from __future__ import annotations

import re
from typing import Any

from t7shell.engine.engine import Engine
from t7shell.host import encoding
from t7shell.host.screen import filled
from t7shell.manual import Entry, Manual, Section, load
from t7shell.manual.render import plain, render
from t7shell.prompt import commands, describe

DEFAULT_WIDTH = 80
# The name of a package, or the package of a function's name.
_PACKAGE = re.compile(r"[a-z]\w*(?=[.:]\w|$)")
# The variables of packages whose names are not identifiers.
VARIABLES = {"lua-utf8": "utf8", "gfx.js": "gfx"}
_CLASS = re.compile(r"\w+\.\w+")
WORDS = re.compile(r"[A-Za-z][\w -]*")
MAX_FOUND = 15
GENERAL = """\
?name       how to use something, and what it does: ?torch.add, ?x:narrow, ?string.format
??name      the source of a function
?%command   a command of the prompt; %magic lists them
?chapter    a chapter of the manual: ?tensor, ?prompt, ?lua
?word       the sections of the manual that mention it: ?checkpoint
help(value) the same for any value
"""


def chapters_text(columns: int | None) -> str:
    """The chapters of the manual with their titles."""
    names = {one.short: one.title for one in load().chapters if one.name not in ("index", "reference/index")}
    width = max(map(len, names), default=0) + 2
    lines = [f"  {name:<{width}}{title}" for name, title in names.items()]
    return "Chapters of the manual:\n" + "\n".join(filled(line, columns, " " * width) for line in lines)


def general_text(columns: int | None) -> str:
    """Lists the forms of help."""
    lines = "\n".join(filled(line, columns, " " * 12) for line in GENERAL.splitlines())
    return f"{lines}\n\n{chapters_text(columns)}"


def text_for(request: str, engine: Engine, columns: int | None) -> str:
    """Describes a name, a chapter or a word, in this order."""
    request = request.strip()
    if request.startswith("%"):
        return commands.usage(request)
    manual = load()
    chapter = manual.chapter(request)
    record = record_of(request, engine)
    message = record and record["message"]
    is_known = record is not None and message is None and not (chapter and record["note"])
    shown = describe.of_record(record).text(columns) if is_known else ""
    if chapter:
        hint = f"\n\nThe manual has a chapter of this name: t7 help {request}"
        return shown + hint if shown else render(chapter.text, columns or DEFAULT_WIDTH)
    about = engine.helper("shell.about")[encoding.to_bytes(request)]
    section = manual.titled(request) if about else None
    if about and section:
        sentence = shown or filled(encoding.from_lua(about), columns)
        return f"{sentence}\n\n{_section_text(section, columns)}"
    if shown:
        return shown
    known = encoding.from_lua(message) if message else f"there is no '{request}'"
    if WORDS.fullmatch(request) and " " in request:
        known = f"the manual does not mention '{request}'"
    entries = manual.entries(request) or manual.entries(":" + request)
    # Most chapters mention single letters, as names of variables.
    is_words = len(request) > 1 and WORDS.fullmatch(request) and not (record and record["sure"])
    if entries:
        parts = [filled(describe.of_entry(entry), columns, "   ") for entry in entries[:3]]
        # Options and directives may be the subject of sections of the manual.
        if is_words and not any("(" in entry.usage for entry in entries):
            parts.append(found_text(manual, request, columns))
        return "\n\n".join(parts)
    return (found_text(manual, request, columns) if is_words else "") or filled(known, columns)


def record_of(request: str, engine: Engine) -> Any:
    """The record of `lua/shell/help.lua` for a name, whose package is loaded if needed; None after Ctrl-C."""
    name = request
    if not load().chapter(request):
        engine, name = _with_package(request, engine)
    record = engine.try_call(engine.helper("shell.help").of_name, encoding.to_bytes(name))
    if record is not None and request in VARIABLES:
        record["doc"] = engine.helper("shell.about")[request.encode()]
    return record


def _with_package(request: str, engine: Engine) -> tuple[Engine, str]:
    """An engine in which the package of a name such as `optim.sgd` or `nn.LSTM` is loaded; the name there.

    It is a second engine if the package is not loaded, since help must not change the session.
    """
    match = _PACKAGE.match(request)
    package, variable, name = (match[0], match[0], request) if match else ("", "", request)
    for odd, usual in VARIABLES.items():
        if re.match(rf"(?:{re.escape(odd)}|{usual})(?![\w-])", request):
            package, variable = odd, usual
            name = usual + request.removeprefix(odd).removeprefix(usual)
    if not package or engine.helper("shell.about")[package.encode()] is None:
        return engine, request
    answer = engine.try_call(engine.helper("shell.help").of_name, name.encode())
    if answer is None or answer["message"] is None:
        return engine, name
    other = Engine(engine.dialect)
    # The output of packages while they load is not part of the answer.
    loaded = other.execute(f"io.stderr = io.tmpfile() {variable} = require '{package}'")
    defined = _CLASS.match(name)
    if defined:
        # Several packages add classes to those of nn.
        other.call(other.helper("torch.io.class_packages").factory, defined[0].encode())
    return (other, name) if loaded.ok else (engine, request)


def found_text(manual: Manual, words: str, columns: int | None) -> str:
    """Lists the sections that mention words; '' if none does."""
    found = manual.search(words)
    functions = manual.functions(words) if " " in words.strip() else []
    if not found and not functions:
        return ""
    lines = []
    if functions:
        lines += ["Functions:", *(f"  {_signature(one)}" for one in functions), ""]
    if not found:
        return "\n".join(filled(line, columns, "    ") for line in lines[:-1])
    lines.append(f"The manual mentions '{words}' in")
    for chapter, section in found[:MAX_FOUND]:
        place = chapter.title if section.title == chapter.title else f"{chapter.title}: {section.title}"
        lines.append(f"  {plain(place)}  (t7 help {chapter.short})")
    if len(found) > MAX_FOUND:
        lines.append(f"  and {len(found) - MAX_FOUND} more sections")
    if len(found) == 1:
        lines += ["", _section_text(found[0][1], columns)]
    return "\n".join(filled(line, columns, "    ") for line in lines)


def _section_text(section: Section, columns: int | None) -> str:
    text = "\n".join(["#" * section.level + " " + section.title, *section.lines])
    return render(text, columns or DEFAULT_WIDTH)


def _signature(entry: Entry) -> str:
    """The usage of a value in one line, with the beginning of its description."""
    first = plain(entry.text).partition(". ")[0].partition("\n")[0]
    return f"{entry.usage.splitlines()[0]}  {first}" if first else entry.usage.splitlines()[0]
