"""A page of JupyterLab in a browser without a screen: a cell is typed and run, and its picture is seen."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("jupyterlab", reason="needs jupyterlab")
pytest.importorskip("selenium", reason="needs selenium")

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support import expected_conditions as conditions
from selenium.webdriver.support.wait import WebDriverWait

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="needs chromium and chromedriver"),
]

SOURCE = "require 'image' image.display(image.scale(image.lena(), 120))"


@pytest.fixture
def page(kernels: Path, tmp_path: Path) -> Iterator[str]:
    """The address of a notebook in a separate JupyterLab."""
    cell = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": ""}
    metadata = {"kernelspec": {"name": "itorch", "display_name": "iTorch", "language": "lua"}}
    notebook = {"nbformat": 4, "nbformat_minor": 2, "metadata": metadata, "cells": [cell]}
    (tmp_path / "old.ipynb").write_text(json.dumps(notebook))
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--ip=127.0.0.1",
        "--port=0",
        "--allow-root",
    ]
    log = tmp_path / "log"
    with open(log, "wb") as file:
        server = subprocess.Popen(
            [*command, "--IdentityProvider.token=t", "--ServerApp.root_dir=" + str(tmp_path)],
            stdout=file,
            stderr=file,
            cwd=tmp_path,
            env={**os.environ, "HOME": str(tmp_path)},
        )
    try:
        end = time.monotonic() + 60
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)/lab", log.read_text())):
            assert server.poll() is None and time.monotonic() < end, log.read_text()
            time.sleep(0.2)
        yield f"http://127.0.0.1:{found[1]}/lab/tree/old.ipynb?token=t"
    finally:
        server.terminate()
        server.wait(20)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,900"):
        options.add_argument(option)
    options.add_argument(f"--user-data-dir={tmp_path / 'browser'}")
    made = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield made
    made.quit()


def test_a_cell_is_run_and_its_picture_seen(page: str, browser: webdriver.Chrome) -> None:
    browser.get(page)
    wait = WebDriverWait(browser, 90)
    wait.until(lambda b: b.find_elements(By.CSS_SELECTOR, '[data-status="idle"]'))
    line = (By.CSS_SELECTOR, ".jp-Notebook .jp-Cell .cm-line")
    editor = wait.until(conditions.element_to_be_clickable(line))
    editor.click()
    ActionChains(browser).send_keys(SOURCE).perform()
    ActionChains(browser).key_down(Keys.SHIFT).send_keys(Keys.ENTER).key_up(Keys.SHIFT).perform()
    picture = wait.until(lambda b: b.find_element(By.CSS_SELECTOR, ".jp-OutputArea-output img"))
    size = browser.execute_script("return [arguments[0].naturalWidth, arguments[0].naturalHeight]", picture)
    assert size == [120, 120]
