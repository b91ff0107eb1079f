"""Files of other programs: written atomically, and read without trusting their contents."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from t7shell.doctest.reader import write_text
from t7shell.engine.engine import Engine
from t7shell.host import atomic_write
from t7shell.host.child_process import in_child
from t7shell.t7file import save

Lua = Callable[[str], str]


def error_of(source: str) -> str:
    result = Engine().execute(source, "=test")
    assert not result.ok
    return result.message


SAVERS = {
    "x.t7": "torch.save(path, x)",
    "x.npy": "require('npy4th').savenpy(path, x)",
    "x.npz": "require('npy4th').savenpz(path, {x = x})",
    "x.mat": "require('matio').save(path, x)",
    "x.csv": "require('csvigo').save{path = path, data = {{1, 2}}, verbose = false}",
    "x.png": "require('image').save(path, x)",
    "x.svg": "require('gnuplot').plot({x[1]}) gnuplot.figprint(path)",
    "x.wav": "require('audio').save(path, x, 8000)",
}


@pytest.mark.parametrize("name", SAVERS)
def test_saving_syncs_replaces_and_clears_leftovers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    synced, sync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (synced.append(file), sync(file))[1])
    path = tmp_path / name
    path.write_bytes(b"old")
    inode = path.stat().st_ino
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    host = f"{zlib.crc32(os.uname().nodename.encode()):08x}"
    left = tmp_path / f".{name}.{host}-{ended.pid}-abc.tmp"
    other = tmp_path / f".{name}.{host}-{os.getpid()}-abc.tmp"
    left.write_bytes(b"half"), other.write_bytes(b"of a process that runs")
    result = Engine().execute(f"local path, x = '{path}', torch.ones(4, 4) {SAVERS[name]}", "=test")
    assert result.ok, result.message
    assert path.read_bytes() != b"old" and path.stat().st_ino != inode
    # Pictures are written by the thousand: they are not flushed.
    assert len(synced) == (0 if name in ("x.png", "x.svg") else 1)
    assert sorted(os.listdir(tmp_path)) == sorted([name, other.name])
    # A new file has nothing to lose.
    path.unlink()
    assert Engine().execute(f"local path, x = '{path}', torch.ones(4, 4) {SAVERS[name]}", "=test").ok
    assert path.exists() and len(synced) <= 1


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def full(file: str | bytes, *rest: int) -> int:
        if b".tmp" in os.fsencode(file):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), file)
        return opened(file, *rest)

    monkeypatch.setattr(os, "open", full)


@pytest.mark.usefixtures("full_disk")
@pytest.mark.parametrize("name", [*SAVERS, "x.h5"])
def test_a_full_disk_leaves_the_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")
    save = SAVERS.get(name, "require('hdf5').open(path, 'w')")
    result = Engine().execute(f"local path, x = '{path}', torch.ones(4, 4) {save}", "=test")
    assert "Errno" not in result.message and result.message.endswith("No space left on device")
    assert path.read_bytes() == b"old"


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_leaves_documents(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("old")
    with pytest.raises(OSError, match="No space"):
        write_text(path, "new")
    assert path.read_text() == "old"


def test_a_loop_of_savings_lists_the_folder_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed, listdir = [], os.listdir
    monkeypatch.setattr(os, "listdir", lambda folder: (listed.append(folder), listdir(folder))[1])
    for name in ("a", "a", "b", "a"):
        with atomic_write.replacing(str(tmp_path / name)) as file:
            file.write(b"new")
    assert len(listed) == 1
    assert sorted(listdir(tmp_path)) == ["a", "b"]


def test_a_failing_writer_leaves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_bytes(b"kept")
    with pytest.raises(RuntimeError), atomic_write.replacing(str(path)) as file:
        file.write(b"new")
        raise RuntimeError
    assert path.read_bytes() == b"kept" and os.listdir(tmp_path) == ["kept"]


@pytest.mark.parametrize(
    "call",
    ["torch.load('a\\0b')", "torch.save('a\\0b', 1)", "torch.DiskFile('a\\0b', 'w')",
     "torch.PipeFile('true\\0b')",
     "torch.DoubleStorage('a\\0b', true, 3)", "paths.mkdir('a\\0b')", "paths.filep('a\\0b')",
     "require('image').load('a\\0b.png')", "require('npy4th').loadnpy('a\\0b')"],
)  # fmt: skip
def test_names_with_a_nul_are_refused(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert error_of(call)
    assert os.listdir(tmp_path) == []


def test_a_child_that_crashes_is_an_error() -> None:
    assert in_child(lambda: {"x": [1, "two"]}) == {"x": [1, "two"]}
    with pytest.raises(ValueError, match="damaged: its reader ended by SIGSEGV"):
        in_child(lambda: os.kill(os.getpid(), signal.SIGSEGV))
    with pytest.raises(ValueError, match="some words"):
        in_child(lambda: (_ for _ in ()).throw(KeyError("some words")))


def test_matio_reads_in_a_process_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matio = pytest.importorskip("t7shell.packages.matio.files")
    monkeypatch.chdir(tmp_path)
    Path("x.mat").touch()
    monkeypatch.setattr(matio, "loadmat", lambda *_, **__: os.kill(os.getpid(), signal.SIGSEGV))
    assert "matio.load: x.mat: the file is damaged: its reader ended by SIGSEGV" in error_of(
        "require('matio').load('x.mat')"
    )


def linked_file(folder: Path) -> Path:
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "other.h5", "w") as file:
        file["secret"] = np.ones(3)
    with h5py.File(folder / "linked.h5", "w") as file:
        file["g/x"] = np.arange(3.0)
        file["soft"], file["ext"] = h5py.SoftLink("/g/x"), h5py.ExternalLink("other.h5", "secret")
        (folder / "raw.bin").write_bytes(b"\0" * 32)
        file.create_dataset("raw", (4,), "f8", external=[(str(folder / "raw.bin"), 0, 32)])
        file["loop/up"] = file["/loop"] if "loop" in file else file["/"]
    return folder / "linked.h5"


@pytest.mark.parametrize(
    ("name", "words"), [("soft", "soft link"), ("ext", "external link"), ("raw", "other files")]
)
def test_hdf5_refuses_links_unless_asked(lua: Lua, tmp_path: Path, name: str, words: str) -> None:
    path = linked_file(tmp_path)
    assert words in error_of(f"require 'hdf5' hdf5.open('{path}', 'r'):read('{name}')")
    assert words.split()[-1] in error_of(f"require 'hdf5' hdf5.open('{path}', 'r'):all()") or name != "ext"
    asked = f"require 'hdf5' print(hdf5.open('{path}', 'r', {{links = true}}):read('{name}'):all():size(1))"
    assert lua(asked) in ("3\n", "4\n")


def test_hdf5_links_to_parents_end(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "p.h5", "w") as file:
        file["g/h/x"] = np.ones(2)
        file["g/h/up"] = file["g"]
    assert "is a link to a group that it is in" in error_of(
        f"require 'hdf5' hdf5.open('{tmp_path}/p.h5', 'r'):all()"
    )


def test_pictures_are_compared_with_a_limit_before_decoding(lua: Lua, tmp_path: Path) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    head = (60000).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
    path = tmp_path / "bomb.png"
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    )
    message = error_of(f"require('image').load('{path}')")
    assert (
        "60000x60000 pixels are more than the limit of 268435456, which image.pixelLimit(n) sets" in message
    )
    source = f"""local image = require 'image'
    image.save('{tmp_path}/small.png', torch.rand(3, 10, 10))
    local before = image.pixelLimit()
    image.pixelLimit(99); print((pcall(image.load, '{tmp_path}/small.png')))
    image.pixelLimit(before); print((pcall(image.load, '{tmp_path}/small.png')))"""
    assert lua(source) == "false\ntrue\n"


def test_graphs_are_drawn_without_a_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "dot"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$DOT_LOG"\ncat > /dev/null\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("DOT_LOG", str(tmp_path / "log"))
    engine = Engine()
    path = f"{tmp_path}/$(touch pwned) it's.svg"
    result = engine.execute(f'require "graph" graph.graphvizFile(graph.Graph(), "dot", "{path}")', "=test")
    assert result.ok, result.message
    assert (tmp_path / "log").read_text().splitlines() == ["-Tsvg", "-o", path]
    for name in ("graphvizFile", "graphvizLayout"):
        refused = error_of(
            f"require 'graph' graph.{name}(graph.Graph(), 'dot; touch {tmp_path}/pwned', 'x.svg')"
        )
        assert "no program 'dot; touch" in refused
    assert not (tmp_path / "pwned").exists()


def test_inspect_escapes_and_bounds(tmp_path: Path) -> None:
    save(
        {"a\x1b[31m": "b\x07", "long": {"k" * 2000: 1}, "many": [[i] for i in range(11000)]},
        tmp_path / "x.t7",
    )
    done = subprocess.run(
        [sys.executable, "-m", "t7shell", "inspect", str(tmp_path / "x.t7")], capture_output=True, text=True
    )
    lines = done.stdout.splitlines()
    assert "\x1b" not in done.stdout and "\x07" not in done.stdout and "a\\x1b[31m" in done.stdout
    assert len(lines) == 10001 and lines[-1] == "... (more than 10000 lines)"
    assert max(map(len, lines)) <= 503


@pytest.mark.parametrize("name", ["../../up", "/root", "n\x00l", "a\\b"])
def test_convert_writes_no_member_outside_of_the_archive(tmp_path: Path, name: str) -> None:
    save({"fine": np.ones(2), name: np.zeros(2)}, tmp_path / "x.t7")
    command = [sys.executable, "-m", "t7shell", "convert", str(tmp_path / "x.t7"), str(tmp_path / "x.npz")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "cannot be a name in an archive" in done.stderr
    assert not (tmp_path / "x.npz").exists()


@pytest.mark.parametrize("words", [["inspect", "none.t7"], ["convert", "none.t7", "x.npz"]])
def test_files_that_are_not_there(tmp_path: Path, words: list[str]) -> None:
    command = [sys.executable, "-m", "t7shell", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"t7 {words[0]}: cannot open none.t7: No such file or directory\n"


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights")
def test_a_loop_of_links_is_an_error(lua: Lua, tmp_path: Path) -> None:
    first, second = tmp_path / "a.t7", tmp_path / "b.t7"
    first.symlink_to(second)
    second.symlink_to(first)
    printed = lua(f"print(pcall(torch.save, '{first}', 5))")
    assert printed.startswith("false") and "Too many levels of symbolic links" in printed
    with pytest.raises(OSError, match="Too many levels"), atomic_write.replacing_path(str(first)) as name:
        open(name, "wb").close()
    assert first.is_symlink() and second.is_symlink() and len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="files have no owners as on Unix")
def test_saving_keeps_the_owner_or_drops_the_set_id_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(0o6755)
    with atomic_write.replacing(str(path)) as file:
        file.write(b"own")
    assert path.stat().st_mode & 0o7777 == 0o6755

    def refused(*_: object) -> None:
        raise PermissionError

    # The file of another owner, which only root may give away.
    if os.getuid() == 0:
        os.chown(path, 12345, 54321)
        path.chmod(0o6755)
        with atomic_write.replacing(str(path)) as file:
            file.write(b"kept")
        found = path.stat()
        assert (found.st_uid, found.st_gid, found.st_mode & 0o7777) == (12345, 54321, 0o6755)
        monkeypatch.setattr(os, "chown", refused)
        with atomic_write.replacing(str(path)) as file:
            file.write(b"lost")
        found = path.stat()
        assert (found.st_uid, found.st_mode & 0o7777) == (0, 0o755)
    assert path.read_bytes() in (b"lost", b"own")
