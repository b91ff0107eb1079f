"""The help on a value: a record of `lua/shell/help.lua` together with the manual's entry."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from t7shell.host import encoding
from t7shell.host.screen import columns_of, filled
from t7shell.manual import Entry, load
from t7shell.manual.render import plain

# The chapters about the methods of a class.
_CHAPTERS = {
    "tensor": ("tensor", "storage"),
    "storage": ("storage",),
    "torch.DiskFile": ("files", "serialization"),
    "torch.MemoryFile": ("files", "serialization"),
    "torch.PipeFile": ("files", "serialization"),
}
_OF_TORCH = ("utilities", "math_packages", "classes", "files")


@dataclass(frozen=True)
class Description:
    """The parts of an answer, '' if there is none."""

    name: str
    note: str
    usage: str
    doc: str
    facts: str
    fields: tuple[str, ...]
    is_class: bool
    example: str
    place: str

    def text(self, columns: int | None) -> str:
        """The parts, separated by blank lines, in lines of at most `columns` characters."""
        parts = [self.note, self.usage, self.doc, self.facts]
        if self.fields:
            parts.append(f"{'Methods' if self.is_class else 'Fields'}:\n{columns_of(self.fields, columns)}")
        parts += ["\n".join("   " + line for line in self.example.splitlines()), self.place]
        return "\n\n".join(filled(part, columns, "   ") for part in parts if part)


def of_record(record: Any) -> Description:
    """Describes the value of a record of `lua/shell/help.lua`."""
    name = field(record, "name")
    entry = manual_entry(record)
    # Signatures of operations come from their rows; for other functions the manual has better argument names.
    own = [] if record["row"] or not (entry and record["is_library"]) else load().alike(entry)
    usage = "\n".join(_qualified(one.usage, name, record) for one in own)
    usage = usage or "\n".join(_list(record["usage"]))
    doc = field(record, "doc")
    if entry and not record["row"] and record["is_library"]:
        doc = "\n".join(filter(None, (sentence(plain(entry.text)), doc if "(" not in entry.usage else "")))
        if len(own) > 1:
            doc = "\n".join(f"{one.usage}: {plain(one.text)}" for one in own)
    example = entry.example if entry and entry.example else field(record, "example")
    if not example and (entry or record["is_library"]):
        known = (load().example(one) for one in [name, *_list(record["manual"])])
        example = next(filter(None, known), "")
    place = field(record, "from")
    chapter = f" (manual: t7 help {entry.chapter.short})" if entry else ""
    return Description(
        name,
        field(record, "note"),
        usage,
        doc,
        "\n".join(_list(record["facts"])),
        tuple(_list(record["fields"])),
        bool(record["is_class"]),
        example,
        f"Defined in: {place}{chapter}" if place else chapter.strip(" ()").capitalize(),
    )


def _qualified(usage: str, name: str, record: Any) -> str:
    """Adds the package to a usage of a chapter: `nn.Linear(inputs, outputs)` for `Linear(...)`. One
    that shows no arguments is replaced by the usage that the function itself gives."""
    own = _list(record["usage"])
    if own and not set("({") & set(usage):
        return "\n".join(own)
    owner = re.match(r"(.+)([.:])(\w+)$", name)
    if not owner or not usage.startswith(owner[3]):
        return usage
    return f"{owner[1]}{':' if record['owner'] else owner[2]}{usage}"


def usage_of(manual_names: list[str], owner: str = "") -> str:
    """The usage of a name in the manual; '' if it has none."""
    entry = _best(manual_names, owner)
    return entry.usage.replace("\n", "   ") if entry else ""


def of_entry(entry: Entry) -> str:
    """The text of an entry of the manual, for a name without a value."""
    example = "\n".join("   " + line for line in entry.example.splitlines())
    place = f"Manual: t7 help {entry.chapter.short}"
    return "\n\n".join(part for part in (entry.usage, sentence(plain(entry.text)), example, place) if part)


def manual_entry(record: Any) -> Entry | None:
    """Finds the manual's entry for the value of a record of `lua/shell/help.lua`."""
    if record["manual"] is None or not (record["row"] or record["is_library"]):
        return None
    names = _list(record["manual"])
    if record["row"]:
        chapter = field(record, "chapter")
        for entry in (entry for name in names for entry in load().entries(name)):
            if entry.chapter.name.endswith(chapter) and entry.example:
                return entry
        return None
    return _best(names, field(record, "owner"))


def _best(names: list[str], owner: str) -> Entry | None:
    """The entry for the first of the names that has one; for a method, in a section about its class."""
    for name in names:
        found = load().entries(name)
        if owner:
            found = _about(found, owner)
        elif name.startswith(":"):
            found = [entry for chapter in _OF_TORCH for entry in found if entry.chapter.name == chapter]
        if found:
            return found[0]
    return None


def _about(found: list[Entry], owner: str) -> list[Entry]:
    """The entries about a class: in its chapters, or in sections that name it."""
    package = owner.partition(".")[0]
    chapters = _CHAPTERS.get(owner, _OF_TORCH if package == "torch" else ())
    if chapters:
        return [entry for chapter in chapters for entry in found if entry.chapter.name == chapter]
    word = re.compile(rf"(?<![\w.-]){re.escape(owner)}(?![\w-])")
    own = [one for one in found if word.search("\n".join((one.section.title, *one.section.lines)))]
    return own or [
        one for one in found if package in re.findall(r"\w+", one.section.title + " " + one.chapter.name)
    ]


def field(record: Any, name: str) -> str:
    """A field of a record as text, '' if it has none."""
    value = record[name]
    return "" if value is None else encoding.from_lua(value)


def _list(table: Any) -> list[str]:
    return [encoding.from_lua(item) for item in table.values()] if table is not None else []


def sentence(text: str) -> str:
    """A cell of a table, with a capital letter and a full stop."""
    # Names of options are not capitalized.
    start = text[:1] if re.match(r"[a-z]+(?:[A-Z]|\d|_|\w* \d)", text) else text[:1].upper()
    return start + text[1:] + ("" if text.endswith((".", "!", "?")) else ".") if text else ""
