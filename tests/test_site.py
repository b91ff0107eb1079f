"""The manual as a site: it builds without a broken link, and its pages fit a phone."""

from __future__ import annotations

import functools
import html
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import t7shell
from tests import browser
from tests.conftest import Run

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "docs" / "site"
ADDRESS, REPOSITORY = "https://example.org/t7shell/", "https://example.org/sources"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("zensical", reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "SITE_URL": ADDRESS, "REPOSITORY_URL": REPOSITORY}
    command = [sys.executable, str(SITE / "build.py"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def test_chapters_have_fewer_than_3000_words() -> None:
    """Pages of the reference are looked up, not read."""
    chapters = [path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "reference"]
    counts = {path: len(path.read_text(encoding="utf-8").split()) for path in chapters}
    assert not {path: count for path, count in counts.items() if count >= 3000}, "divide them by theme"


@pytest.mark.slow
def test_every_chapter_is_a_page_with_links_that_lead_somewhere(site: Path) -> None:
    names = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    pages = {path.relative_to(site) for path in site.rglob("*.html")}
    assert names - {Path("site/home.html")} <= pages
    assert {Path("notebook-tour.html"), Path("contributing.html"), Path("examples/xor.lua.html")} <= pages
    broken = []
    for page in pages:
        text = (site / page).read_text(encoding="utf-8")
        for target in re.findall(r'(?:href|src)="([^"#:]+)(?:#[^"]*)?"', text):
            path = (site / page).parent / target
            if not (path / "index.html" if path.is_dir() else path).exists() and page.name != "404.html":
                broken.append(f"{page}: {target}")
    assert broken == []


@pytest.mark.slow
def test_the_home_page_says_what_this_is(site: Path) -> None:
    home = (site / "index.html").read_text(encoding="utf-8")
    assert "Lua shell" in home and 'pictures/prompt.svg"' in home
    assert "pip install" in re.sub("<[^>]+>", "", home)
    assert home.count("<h2") == 4, "installing and three examples"
    assert f"t7shell {t7shell.__version__}" in home
    assert f'<link rel="canonical" href="{ADDRESS}' in home
    assert 'data-md-color-scheme="slate"' in home and "prefers-color-scheme: dark" in home
    assert home.index("today.html") < home.index("compare.html") < home.index("shell.html")


@pytest.mark.slow
def test_pages_lead_to_their_sources(site: Path) -> None:
    sources = {
        "index": "docs/site/home.md",
        "chapters": "docs/index.md",
        "contributing": "CONTRIBUTING.md",
        "examples/xor.lua": "examples/xor.lua",
        "nn/simple": "docs/nn/simple.md",
    }
    for page, source in sources.items():
        text = (site / f"{page}.html").read_text(encoding="utf-8")
        assert f'href="{REPOSITORY}/edit/main/{source}"' in text
        assert (ROOT / source).exists()


@pytest.mark.slow
def test_transcripts_are_coloured(site: Path) -> None:
    page = (site / "tensor.html").read_text(encoding="utf-8")
    assert '<span class="gp">t7&gt; </span>' in page and '<span class="gr">' in page
    text = html.unescape(re.sub(r"<[^>]+>", "", page))
    assert "t7> x:narrow(2, 2, 2)\n 2  3\n 5  6\n" in text


@pytest.mark.slow
def test_notebooks_are_pages_with_their_outputs(site: Path) -> None:
    page = (site / "notebook-tour.html").read_text(encoding="utf-8")
    assert "torch.DoubleTensor of dimension 2x3" in page and 'src="tour-' in page
    assert (site / "tour.ipynb").read_bytes() == (ROOT / "docs" / "tour.ipynb").read_bytes()


def test_the_picture_is_not_empty_without_animations() -> None:
    """Lines are hidden by the animation alone, which sanitized copies of the picture lack."""
    picture = (ROOT / "docs" / "pictures" / "prompt.svg").read_text(encoding="utf-8")
    outside = re.sub(r"@keyframes \w+ \{.*\}", "", picture)
    assert "opacity" not in outside and "backwards" in outside and picture.count("<text") > 10


@pytest.mark.slow
def test_notebooks_show_what_the_kernel_shows(t7: Run) -> None:
    done = t7("doctest", str(ROOT / "docs" / "tour.ipynb"))
    assert done.returncode == 0, done.stdout


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(site))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(address: str, tmp_path: Path) -> Iterator[browser.Page]:
    if not browser.CHROMIUM:
        pytest.skip("needs chromium")
    with browser.open_page(tmp_path) as page:
        yield page


def until(page: browser.Page, expression: str) -> Any:
    """The value of an expression of JavaScript, as soon as it is not empty."""
    for _ in range(300):
        value = page.evaluate(expression)
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError(expression)


@pytest.mark.slow
def test_pages_in_a_browser_of_the_width_of_a_phone(address: str, page: browser.Page) -> None:
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=2, mobile=True)
    for name in ("index", "today", "compare", "tensor", "nn/simple", "reference/math", "notebook-tour"):
        page.open(f"{address}/{name}.html")
        assert until(page, f"location.pathname == '/{name}.html' && document.readyState == 'complete'")
        assert page.box("h1")["width"] > 0
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, f"{name} is {width} wide"


@pytest.mark.slow
def test_the_copy_button_takes_inputs(address: str, page: browser.Page) -> None:
    page.open(f"{address}/chapters.html")
    copied = until(page, "Array.from(document.querySelectorAll('pre[data-copy]')).pop()?.dataset.copy")
    assert copied.splitlines()[:3] == ["x = torch.Tensor{{1, 2}, {3, 4}}", "x", "x:size()"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("SpatialConvolution", "reference/nn_convolution.html#nnspatialconvolution"),
        ("LookupTable", "reference/nn_simple.html#nnlookuptable"),
        ("narrow", "reference/methods.html#narrow"),
        ("nn.Linear", "reference/nn_simple.html#nnlinear"),
    ],
)
def test_search_finds_names_first(address: str, page: browser.Page, words: str, first: str) -> None:
    page.open(f"{address}/index.html")
    until(page, "document.readyState == 'complete' && !!document.querySelector('.md-search__button')")
    page.evaluate("document.querySelector('.md-search__button').click()")
    until(
        page,
        "(([field]) => field && (field.focus(), true))([...document.querySelectorAll('*')]"
        ".flatMap(e => e.shadowRoot ? [...e.shadowRoot.querySelectorAll('input')] : []))",
    )
    page.call("Input.insertText", text=words)
    found = until(
        page,
        "[...document.querySelectorAll('*')].flatMap(e => e.shadowRoot ?"
        " [...e.shadowRoot.querySelectorAll('a')].map(a => a.href) : [])[0]",
    )
    assert re.sub(r"\?[^#]*", "", found) == f"{address}/{first}"


@pytest.mark.slow
def test_the_recording_is_of_this_shell(tmp_path: Path) -> None:
    """The script writes the files of the manual."""
    docs = tmp_path / "docs"
    shutil.copytree(SITE, docs / "site")
    (docs / "pictures").mkdir()
    subprocess.run([sys.executable, str(docs / "site" / "record.py")], check=True, cwd=ROOT)
    assert (docs / "pictures" / "prompt.svg").read_bytes() == (ROOT / "docs/pictures/prompt.svg").read_bytes()
    assert (docs / "site" / "prompt.cast").read_bytes() == (SITE / "prompt.cast").read_bytes()
