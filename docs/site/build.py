"""Builds the manual as a site: python docs/site/build.py [FOLDER]

The pages are staged in build/pages: the chapters, a home page, notebooks, programs and lists of folders.
Zensical makes the site in build/site of them, and fails if a link leads nowhere. `--stage` stops before that.
SITE_URL is the address of the site, REPOSITORY_URL the one of the sources, for links that edit a page.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCS, ROOT = HERE.parent, HERE.parents[1]
sys.path.insert(0, str(HERE))

import transcripts  # noqa: E402

_LANGUAGES = {".lua": "lua", ".py": "python"}
_OUTSIDE = re.compile(r"\]\((?:\.\./)+(CONTRIBUTING\.md|examples/[\w./-]+)((?:#[\w-]+)?)\)")
_DIRECTIVE = re.compile(r"^<!-- t7: .*? -->\n", re.MULTILINE)
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_TRANSCRIPT = re.compile(rf"^```\n(?={transcripts.PROMPT.pattern})", re.MULTILINE)
# The list of chapters, which the home page takes the place of.
_CHAPTERS = "chapters.md"


def main(arguments: list[str]) -> int:
    """Builds the site, and returns the exit status."""
    folders = [one for one in arguments if not one.startswith("-")]
    base = Path(folders[0] if folders else ROOT / "build").resolve()
    stage(base)
    if "--stage" in arguments:
        return 0
    shutil.rmtree(base / "site", ignore_errors=True)
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f"]
    command.append(str(base / "mkdocs.yml"))
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=False).returncode


def stage(base: Path) -> None:
    """Writes all pages and the settings of the site into a folder."""
    pages = base / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    for path in DOCS.rglob("*"):
        name = path.relative_to(DOCS)
        if path.suffix in (".png", ".svg", ".ipynb", ".css", ".js"):
            (pages / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, pages / name)
    for name, (source, text) in _pages(pages).items():
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        (pages / name).write_text(_page(name, text) + _edit_link(source), encoding="utf-8")
    (base / "mkdocs.yml").write_text(_settings(), encoding="utf-8")


def _pages(pages: Path) -> dict[str, tuple[str, str]]:
    """The names of the pages, each with its source, below the root, and its text."""
    found = {}
    for path in sorted(DOCS.rglob("*.md")):
        name = path.relative_to(DOCS).as_posix()
        page = {"index.md": _CHAPTERS, "site/home.md": "index.md"}.get(name, name)
        found[page] = (f"docs/{name}", path.read_text(encoding="utf-8"))
    for path in _notebooks():
        found[_page_of(path)] = (f"docs/{path.name}", _notebook(path, pages))
    for path in _programs():
        text = f"# {path.name}\n\n```{_LANGUAGES[path.suffix]}\n{path.read_text(encoding='utf-8')}```\n"
        found[f"examples/{path.name}.md"] = (f"examples/{path.name}", text)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").replace("](docs/", "](")
    found["contributing.md"] = ("CONTRIBUTING.md", text)
    rows = [f"| [{_title(name)}]({Path(name).name}) |" for name in _chapters("decisions")]
    heading = "# Decisions\n\nWhat was measured before something was built the way it is.\n\n"
    found["decisions/index.md"] = (
        "docs/decisions",
        heading + "| decision |\n|---|\n" + "\n".join(rows) + "\n",
    )
    return found


def _page(name: str, text: str) -> str:
    """Leads links to files outside of the manual to their pages, marks transcripts for their colours, and
    takes out what is for `t7 doctest`."""
    up = "../" * name.count("/")

    def inside(match: re.Match[str]) -> str:
        page = "contributing.md" if match[1] == "CONTRIBUTING.md" else f"{match[1]}.md"
        return f"]({up}{page}{match[2]})"

    text = _OUTSIDE.sub(inside, text).replace("](decisions/)", "](decisions/index.md)")
    if "/" not in name:
        text = text.replace("](index.md", f"]({_CHAPTERS}")
    return _TRANSCRIPT.sub("```t7\n", _DIRECTIVE.sub("", text)).rstrip("\n") + "\n"


def _edit_link(source: str) -> str:
    repository = os.environ.get("REPOSITORY_URL", "").rstrip("/")
    kind = "edit" if Path(source).suffix else "tree"
    return f"\n[Edit this page]({repository}/{kind}/main/{source}){{ .edit }}\n" if repository else ""


def _settings() -> str:
    """mkdocs.yml with the parts of the navigation that are folders, the version and the addresses."""
    text = (HERE / "mkdocs.yml").read_text(encoding="utf-8")
    folders = {
        "Notebooks": [_page_of(path) for path in _notebooks()],
        "Programs": [f"examples/{path.name}.md" for path in _programs()],
        "Reference": _chapters("reference"),
        "Decisions": ["decisions/index.md", *_chapters("decisions")],
    }
    for title, names in folders.items():
        assert f"- {title}: []\n" in text
        text = text.replace(f"- {title}: []\n", f"- {title}: {json.dumps(names)}\n")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    version = re.search(r'^version = "(.+)"$', project, re.MULTILINE)
    text = text.replace("VERSION", version[1] if version else "")
    for setting, variable in (("site_url", "SITE_URL"), ("repo_url", "REPOSITORY_URL")):
        if os.environ.get(variable):
            text += f"{setting}: {os.environ[variable]}\n"
    return text


def _chapters(folder: str) -> list[str]:
    """The files of Markdown in a folder, its index first."""
    names = [path.relative_to(DOCS).as_posix() for path in (DOCS / folder).rglob("*.md")]
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


def _notebook(path: Path, pages: Path) -> str:
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
                (pages / name).write_bytes(base64.b64decode("".join(data["image/png"])))
                parts.append(f"![{''.join(data.get('text/plain', 'picture'))}]({name})")
            else:
                text = output.get("text") or data.get("text/plain") or "\n".join(output["traceback"])
                parts.append(f"```text\n{''.join(text).rstrip()}\n```")
    parts.append(f"[This page as a notebook]({path.name}) runs in Jupyter; see [Notebooks](notebooks.md).")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
