"""`t7 annotations`: the declarations for lua-language-server."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from t7shell.engine.engine import Engine
from tests.conftest import Run


@pytest.fixture(scope="module")
def folder(t7: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("annotations")
    done = t7("annotations", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    return path


def test_calls_come_from_the_rows(folder: Path) -> None:
    text = (folder / "torch.lua").read_text()
    before, _ = text.split("function torch.add(...) end")
    wanted = "---@overload fun(res: torch.Tensor, x: torch.Tensor, value: number): any\n"
    assert wanted in before[-800:]
    assert "---@overload fun(self: torch.Tensor, y: torch.Tensor): any\n" in text
    for name in ("torch.save(", "Tensor:size(", "Tensor:narrow(", "@class torch.IntTensor: torch.Tensor"):
        assert name in text
    assert "---@class nn.Linear: nn.Module" in (folder / "nn.lua").read_text()


def test_every_operation_is_there_and_the_files_are_lua(folder: Path, engine: Engine) -> None:
    text = (folder / "torch.lua").read_text()
    names = engine.execute(
        "local list = {} for _, package in ipairs(require('torch.dispatch.install').packages) do "
        "if package.name == 'torch' then "
        "for name in pairs(package.chapter_of) do list[#list + 1] = name end end end return unpack(list)"
    ).values
    assert len(names) >= 150
    for name in names:
        assert f"function torch.{name}(" in text or f"function Tensor:{name}(" in text, name
    for path in folder.glob("*.lua"):
        assert engine.execute(f"return loadfile('{path}') ~= nil").values == [True], path


def test_the_folder_is_checked(t7: Run, tmp_path: Path) -> None:
    assert t7("annotations").returncode == 2
    assert t7("annotations", "--help").stdout.startswith("usage: t7 annotations")
    (tmp_path / "file").write_text("")
    assert t7("annotations", str(tmp_path / "file" / "x")).returncode == 1


@pytest.mark.skipif(shutil.which("lua-language-server") is None, reason="needs lua-language-server")
def test_the_server_checks_a_program(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "right.lua").write_text("local x = torch.ones(2, 3)\nprint(torch.add(x, 1), x:size(1))\n")
    (tmp_path / "wrong.lua").write_text("print(torch.no_such_function(1))\n")
    (tmp_path / ".luarc.json").write_text(json.dumps({"workspace.library": [str(folder)]}))
    subprocess.run(["lua-language-server", "--check", str(tmp_path), "--logpath", str(tmp_path / "log")])
    found = json.loads((tmp_path / "log" / "check.json").read_text())
    assert any(name.endswith("wrong.lua") for name in found)
    assert not any(name.endswith("right.lua") for name in found)
