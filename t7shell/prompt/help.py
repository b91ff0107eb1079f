"""The text of `?name`, `help(value)` and `t7 help`: facts from Lua about a name, and the manual's entry."""

from __future__ import annotations

import re
from typing import Any

from t7shell.core import encoding
from t7shell.core.engine import Engine
from t7shell.manual import Entry, Manual, Section, load
from t7shell.manual.render import plain, render
from t7shell.prompt.screen import columns_of, filled

DEFAULT_WIDTH = 80
# A package, or that of a function.
_PACKAGE = re.compile(r"([a-z]\w*)(?:[.:]\w|$)")
_CLASS = re.compile(r"\w+\.\w+")
WORDS = re.compile(r"[A-Za-z][\w -]*")
MOST_FOUND = 15
GENERAL = """\
?name       how to use something, and what it does: ?torch.add, ?x:narrow, ?string.format
??name      the source of a function
?%command   a command of the prompt; %magic lists them
?chapter    a chapter of the manual: ?tensor, ?prompt, ?lua
?word       the sections of the manual that mention it: ?checkpoint
help(value) the same for any value
"""
# The chapters about the methods of a class.
_CHAPTERS = {
    "tensor": ("tensor", "storage"),
    "storage": ("storage",),
    "torch.DiskFile": ("files", "serialization"),
    "torch.MemoryFile": ("files", "serialization"),
    "torch.PipeFile": ("files", "serialization"),
}


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
    manual = load()
    chapter = manual.chapter(request)
    engine = engine if chapter else _with_package(request, engine)
    record = engine.ask(engine.helper("shell.help").of_name, encoding.to_bytes(request))
    message = record and record["message"]
    is_known = record is not None and message is None and not (chapter and record["note"])
    shown = record_text(record, columns) if is_known else ""
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
    is_words = WORDS.fullmatch(request) and not (record and record["sure"])
    if entries:
        parts = [_entry_text(entry, columns) for entry in entries[:3]]
        # Options and directives are words that sections of the manual may be about.
        if is_words and not any("(" in entry.usage for entry in entries):
            parts.append(found_text(manual, request, columns))
        return "\n\n".join(parts)
    return (found_text(manual, request, columns) if is_words else "") or filled(known, columns)


def _with_package(request: str, engine: Engine) -> Engine:
    """An engine in which the package of a name such as `optim.sgd` or `nn.LSTM` is loaded.

    It is a second one where the package is not loaded, since a question changes nothing.
    """
    package = _PACKAGE.match(request)
    if not package or engine.helper("shell.about")[package[1]] is None:
        return engine
    is_loaded = engine.lua.globals().package.loaded[package[1].encode()] is not None
    if is_loaded:
        answer = engine.ask(engine.helper("shell.help").of_name, request.encode())
        if answer is None or answer["message"] is None:
            return engine
    other = Engine(engine.dialect)
    # The output of packages while they load is not part of the answer.
    loaded = other.execute(f"io.stderr = io.tmpfile() {package[1]} = require '{package[1]}'")
    defined = _CLASS.match(request)
    if defined:
        # Several packages add classes to those of nn.
        other.call(other.helper("torch.io.class_packages").factory, defined[0].encode())
    return other if loaded.ok else engine


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
    for chapter, section in found[:MOST_FOUND]:
        place = chapter.title if section.title == chapter.title else f"{chapter.title}: {section.title}"
        lines.append(f"  {plain(place)}  (t7 help {chapter.short})")
    if len(found) > MOST_FOUND:
        lines.append(f"  and {len(found) - MOST_FOUND} more sections")
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


def record_text(record: Any, columns: int | None) -> str:
    """The text for a record of `lua/shell/help.lua`."""
    message = record["message"]
    if message is not None:
        return filled(encoding.from_lua(message), columns)
    entry = manual_entry(record)
    # The forms of an operation come from its row; of other functions the manual has better names.
    own = [] if record["row"] or not (entry and record["is_library"]) else load().alike(entry)
    usage = "\n".join(_qualified(one.usage, _field(record, "name"), record) for one in own)
    usage = usage or "\n".join(_list(record["usage"]))
    parts = [_field(record, "note"), usage]
    doc = _field(record, "doc")
    if entry and not record["row"] and record["is_library"]:
        doc = "\n".join(filter(None, (_sentence(plain(entry.text)), doc if "(" not in entry.usage else "")))
        if len(own) > 1:
            doc = "\n".join(f"{one.usage}: {plain(one.text)}" for one in own)
    parts += [doc, "\n".join(_list(record["facts"]))]
    if record["fields"] is not None:
        words = _list(record["fields"])
        title = "Methods:" if record["is_class"] else "Fields:"
        parts.append(f"{title}\n{columns_of(words, columns)}" if words else "")
    example = entry.example if entry and entry.example else _field(record, "example")
    if not example and (entry or record["is_library"]):
        example = load().example(_field(record, "name"))
    if example:
        parts.append("\n".join("   " + line for line in example.splitlines()))
    place = _field(record, "from")
    chapter = f" (manual: t7 help {entry.chapter.short})" if entry else ""
    if place or chapter:
        parts.append(f"Defined in: {place}{chapter}" if place else chapter.strip(" ()").capitalize())
    return "\n\n".join(filled(part, columns, "   ") for part in parts if part)


def _qualified(usage: str, name: str, record: Any) -> str:
    """A usage that chapters give without the package, with it: `nn.Linear(inputs, outputs)` for `Linear`. One
    that shows no arguments gives way to what the function itself tells."""
    package, _, last = name.rpartition(".")
    if not package or not usage.startswith(last):
        return usage
    own = _list(record["usage"])
    return f"{package}.{usage}" if "(" in usage or "{" in usage or not own else "\n".join(own)


def usage_of(manual_names: list[str], owner: str = "") -> str:
    """How the manual says that something is used; '' if it does not."""
    entry = _best(manual_names, owner)
    return entry.usage.replace("\n", "   ") if entry else ""


def _entry_text(entry: Entry, columns: int | None) -> str:
    example = "\n".join("   " + line for line in entry.example.splitlines())
    place = f"Manual: t7 help {entry.chapter.short}"
    parts = [entry.usage, _sentence(plain(entry.text)), example, place]
    return "\n\n".join(filled(part, columns, "   ") for part in parts if part)


def manual_entry(record: Any) -> Entry | None:
    """Finds the manual's entry for the value of a record of `lua/shell/help.lua`."""
    if record["manual"] is None or not (record["row"] or record["is_library"]):
        return None
    names = _list(record["manual"])
    if record["row"]:
        chapter = _field(record, "chapter")
        for entry in (entry for name in names for entry in load().entries(name)):
            if entry.chapter.name.endswith(chapter) and entry.example:
                return entry
        return None
    return _best(names, _field(record, "owner"))


def _best(names: list[str], owner: str) -> Entry | None:
    """The entry for the first of the names that has one, of a method in a chapter about its class."""
    for name in names:
        found = load().entries(name)
        if name.startswith(":"):
            wanted = _CHAPTERS.get(owner, ("utilities", "packages", "classes", "files"))
            found = [entry for chapter in wanted for entry in found if entry.chapter.name == chapter]
        if found:
            return found[0]
    return None


def _field(record: Any, name: str) -> str:
    value = record[name]
    return "" if value is None else encoding.from_lua(value)


def _list(table: Any) -> list[str]:
    return [encoding.from_lua(item) for item in table.values()] if table is not None else []


def _sentence(text: str) -> str:
    """A cell of a table as a sentence."""
    # The name of an option stays as it is.
    start = text[:1] if re.match(r"[a-z]+(?:[A-Z]|\d|_|\w* \d)", text) else text[:1].upper()
    return start + text[1:] + ("" if text.endswith((".", "!", "?")) else ".") if text else ""
