"""Mapped files have blocks for all that may be written into them."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from t7shell.engine.engine import Engine


def test_a_shared_mapping_has_blocks(fresh_lua: object, tmp_path: Path) -> None:
    path = tmp_path / "blocks"
    assert fresh_lua(f"print(torch.DoubleStorage('{path}', true, 131072):size())") == "131072\n"  # type: ignore[operator]
    assert path.stat().st_size == 2**20 and path.stat().st_blocks * 512 >= 2**20


def test_a_full_disk_is_an_error_that_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    path = tmp_path / "full"
    path.write_bytes(b"12345678")
    result = Engine().execute(f"torch.DoubleStorage('{path}', true, 1000)", "=test")
    assert not result.ok and f"unable to map file <{path}>: No space left on device" in result.message
    assert path.read_bytes() == b"12345678"
