"""The manual as a site: it builds without a broken link, and its pages fit a phone."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "docs" / "site"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("material", reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-f", str(SITE / "mkdocs.yml")]
    done = subprocess.run([*command, "-d", str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_every_chapter_is_a_page_with_links_that_lead_somewhere(site: Path) -> None:
    names = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    pages = {path.relative_to(site) for path in site.rglob("*.html")}
    assert names <= pages
    assert {Path("notebook-tour.html"), Path("contributing.html"), Path("examples/xor.lua.html")} <= pages
    broken = []
    for page in pages:
        text = (site / page).read_text(encoding="utf-8")
        for target in re.findall(r'(?:href|src)="([^"#:]+)(?:#[^"]*)?"', text):
            path = (site / page).parent / target
            if not (path / "index.html" if path.is_dir() else path).exists() and page.name != "404.html":
                broken.append(f"{page}: {target}")
    assert broken == []
    assert (site / "search" / "search_index.json").stat().st_size > 100_000
    home = (site / "index.html").read_text(encoding="utf-8")
    assert 'data-md-color-scheme="slate"' in home and "prefers-color-scheme: dark" in home
    assert home.index("today.html") < home.index("compare.html") < home.index("shell.html")


@pytest.mark.slow
def test_notebooks_are_pages_with_their_outputs(site: Path) -> None:
    page = (site / "notebook-tour.html").read_text(encoding="utf-8")
    assert "torch.DoubleTensor of dimension 2x3" in page and 'src="tour-' in page
    assert (site / "tour.ipynb").read_bytes() == (ROOT / "docs" / "tour.ipynb").read_bytes()


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


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("chromium") and shutil.which("chromedriver")), reason="needs chromium")
def test_pages_in_a_browser_of_the_width_of_a_phone(address: str, tmp_path: Path) -> None:
    webdriver: Any = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", f"--user-data-dir={tmp_path}"):
        options.add_argument(word)
    options.add_experimental_option("mobileEmulation", {"deviceMetrics": {"width": 390, "height": 800}})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    try:
        driver.implicitly_wait(20)
        for page in ("index", "today", "compare", "tensor", "nn/simple", "reference/math", "notebook-tour"):
            driver.get(f"{address}/{page}.html")
            assert driver.find_element("tag name", "h1").is_displayed()
            width = driver.execute_script("return document.documentElement.scrollWidth")
            assert width <= 390, f"{page} is {width} wide"
        driver.get(f"{address}/index.html")
        driver.find_element("css selector", "pre[data-copy]")
        script = "return Array.from(document.querySelectorAll('pre[data-copy]')).pop().dataset.copy"
        copied = driver.execute_script(script).splitlines()
        assert copied[:3] == ["x = torch.Tensor{{1, 2}, {3, 4}}", "x", "x:size()"]
    finally:
        driver.quit()


@pytest.mark.slow
def test_the_recording_is_of_this_shell(tmp_path: Path) -> None:
    """The script writes the files of the manual."""
    docs = tmp_path / "docs"
    shutil.copytree(SITE, docs / "site")
    (docs / "pictures").mkdir()
    subprocess.run([sys.executable, str(docs / "site" / "record.py")], check=True, cwd=ROOT)
    assert (docs / "pictures" / "prompt.svg").read_bytes() == (ROOT / "docs/pictures/prompt.svg").read_bytes()
    assert (docs / "site" / "prompt.cast").read_bytes() == (SITE / "prompt.cast").read_bytes()
