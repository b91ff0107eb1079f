"""Bytecode of the library that a process keeps for the next ones."""

from __future__ import annotations

import marshal
import os
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from t7shell.engine import bytecode_cache
from t7shell.engine.engine import Engine

Run = Callable[[], list[str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Does what a process does; returns the files that it compiled."""
    monkeypatch.setenv("T7_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(bytecode_cache, "entries", None)
    monkeypatch.setattr(bytecode_cache, "_saving_process", None)
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    put, compiled = bytecode_cache.put, []

    def recording_put(source: str, code: str) -> None:
        compiled.append(source)
        put(source, code)

    monkeypatch.setattr(bytecode_cache, "put", recording_put)

    def run() -> list[str]:
        compiled.clear()
        bytecode_cache.entries = None
        result = Engine().execute("print(torch.ones(2):sum()) require 'nn'", "=test")
        assert result.ok, result.message
        bytecode_cache._saving_process = os.getpid()
        bytecode_cache._save()
        return list(compiled)

    return run


def _file(tmp_path: Path) -> Path:
    (path,) = (tmp_path / "cache").iterdir()
    return path


def test_the_second_process_compiles_nothing(tmp_path: Path, run: Run) -> None:
    assert any(name.endswith("nn/init.lua") for name in run())
    assert _file(tmp_path).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700
    assert run() == []


def test_a_damaged_file_is_ignored_and_replaced(tmp_path: Path, run: Run) -> None:
    every = run()
    path = _file(tmp_path)
    content = path.read_bytes()
    for damaged in (b"", content[:3], content[:1000], content[:-1], content[:5000] + b"?" + content[5001:]):
        path.write_bytes(damaged)
        path.chmod(0o600)
        assert run() == every
    assert run() == []


BAD_CONTENT = [3, [1, 2], {1: 2}, {"name": 3}, {"name": (1,)}, {"name": (1, 2, "text")}]


@pytest.mark.parametrize("content", BAD_CONTENT)
def test_other_content_with_a_checksum_is_ignored_and_replaced(
    tmp_path: Path, run: Run, content: object
) -> None:
    every = run()
    written = marshal.dumps(content)
    _file(tmp_path).write_bytes(zlib.crc32(written).to_bytes(4, "little") + written)
    assert run() == every
    assert run() == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no named pipes")
def test_pipes_and_folders_in_place_of_the_file_are_left(tmp_path: Path, run: Run) -> None:
    every = run()
    path = _file(tmp_path)
    for make, remove in ((os.mkfifo, os.unlink), (os.mkdir, os.rmdir)):
        path.unlink(missing_ok=True)
        make(path)
        assert run() == every
        remove(path)


def test_bytecode_of_a_changed_source_is_not_used(tmp_path: Path, run: Run) -> None:
    every = run()
    assert bytecode_cache.entries is not None
    time, size, code = bytecode_cache.entries[every[3]]
    bytecode_cache.entries[every[3]] = (time - 1, size, code)
    assert bytecode_cache.get(every[3]) is None and bytecode_cache.get(every[4]) is not None


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="has no owners of files")
def test_a_file_that_others_may_have_written_is_not_read(tmp_path: Path, run: Run) -> None:
    every = run()
    _file(tmp_path).chmod(0o666)
    assert run() == every
    (tmp_path / "cache").chmod(0o777)
    _file(tmp_path).unlink()
    run()
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize("folder", ["", "relative"])
def test_nothing_is_kept_without_a_folder(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    monkeypatch.setenv("T7_CACHE", folder)
    monkeypatch.chdir(tmp_path)
    assert run() == run() != []
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_place_of_the_folder_does_no_harm(tmp_path: Path, run: Run) -> None:
    (tmp_path / "cache").write_text("mine")
    assert run() == run() != []
    assert (tmp_path / "cache").read_text() == "mine"
