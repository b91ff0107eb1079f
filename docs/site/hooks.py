"""What the site has beyond the chapters: notebooks and programs as pages, and lists made from folders.

MkDocs calls the functions `on_...`; see https://www.mkdocs.org/user-guide/plugins/#events.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
_LANGUAGES = {".lua": "lua", ".py": "python"}
_OUTSIDE = re.compile(r"\]\((?:\.\./)+(CONTRIBUTING\.md|examples/[\w./-]+)((?:#[\w-]+)?)\)")
_DIRECTIVE = re.compile(r"^<!-- t7: .*? -->\n", re.MULTILINE)
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


def on_config(config: Any) -> Any:
    """Fills the parts of the navigation that are folders; a chapter that it does not name comes last."""
    folders = {
        "Notebooks": [_page_of(path) for path in _notebooks()],
        "Programs": [f"examples/{path.name}.md" for path in _programs()],
        "Reference": _pages("reference"),
        "Decisions": ["decisions/index.md", *_pages("decisions")],
    }
    for part in config.nav:
        for title in part if isinstance(part, dict) else ():
            part[title] = folders.get(title, part[title])
    known = set(re.findall(r"[\w/.-]+\.md", str(config.nav)))
    left = [name for name in _pages("") if name not in known]
    if left:
        config.nav.append({"More": left})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages that are made from other files."""

    def add(name: str, text: str) -> None:
        files.append(File.generated(config, name, content=text))

    for path in _notebooks():
        files.remove(files.get_file_from_path(path.relative_to(DOCS).as_posix()))
        add(_page_of(path), _notebook(path, files, config))
    for path in _programs():
        source = path.read_text(encoding="utf-8")
        add(f"examples/{path.name}.md", f"# {path.name}\n\n```{_LANGUAGES[path.suffix]}\n{source}```\n")
    add("contributing.md", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").replace("](docs/", "]("))
    rows = [f"| [{_title(name)}]({Path(name).name}) |" for name in _pages("decisions")]
    heading = "# Decisions\n\nWhat was measured before something was built the way it is.\n\n| |\n|---|\n"
    add("decisions/index.md", heading + "\n".join(rows) + "\n")
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Leads links to files outside of the manual to their pages, and takes out what is for `t7 doctest`."""
    up = "../" * page.file.src_uri.count("/")

    def inside(match: re.Match[str]) -> str:
        name = "contributing.md" if match[1] == "CONTRIBUTING.md" else f"{match[1]}.md"
        return f"]({up}{name}{match[2]})"

    markdown = _OUTSIDE.sub(inside, markdown).replace("](decisions/)", "](decisions/index.md)")
    return _DIRECTIVE.sub("", markdown)


def _pages(folder: str) -> list[str]:
    """The files of Markdown in a folder, its index first."""
    found = (DOCS / folder).glob("**/*.md" if folder == "reference" else "*.md")
    names = [path.relative_to(DOCS).as_posix() for path in found]
    return sorted(names, key=lambda name: (not name.endswith("index.md"), name))


def _notebooks() -> list[Path]:
    return sorted(DOCS.glob("*.ipynb"))


def _programs() -> list[Path]:
    return sorted(path for path in (ROOT / "examples").glob("*") if path.suffix in _LANGUAGES)


def _page_of(path: Path) -> str:
    return f"notebook-{path.stem}.md"


def _title(name: str) -> str:
    match = _TITLE.search((DOCS / name).read_text(encoding="utf-8"))
    return match[1] if match else name


def _notebook(path: Path, files: Any, config: Any) -> str:
    """A notebook as Markdown; its pictures become files beside it."""
    book = json.loads(path.read_text(encoding="utf-8"))
    parts = []
    for number, cell in enumerate(book["cells"], 1):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```lua\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                name = f"{path.stem}-{number}.png"
                content = base64.b64decode("".join(data["image/png"]))
                files.append(File.generated(config, name, content=content))
                parts.append(f"![{''.join(data.get('text/plain', 'picture'))}]({name})")
            else:
                text = output.get("text") or data.get("text/plain") or "\n".join(output["traceback"])
                parts.append(f"```text\n{''.join(text).rstrip()}\n```")
    files.append(File.generated(config, path.name, content=path.read_bytes()))
    parts.append(f"[This page as a notebook]({path.name}) runs in Jupyter; see [Notebooks](notebooks.md).")
    return "\n\n".join(parts) + "\n"
