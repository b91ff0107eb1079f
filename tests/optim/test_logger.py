"""optim.Logger and optim.ConfusionMatrix beyond the conformance cases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

Lua = Callable[[str], str]


def test_a_log_has_a_line_for_each_row(lua: Lua, tmp_path: Path) -> None:
    path = tmp_path / "log"
    lua(
        f"require 'optim' local l = optim.Logger({str(path)!r})\n"
        "l:setNames{'loss', 'note'} l:add{1.5, 'a'} l:add{-2e-9, 'b'}"
    )
    assert path.read_text() == "loss\tnote\t\n 1.5000e+00\ta\t\n-2.0000e-09\tb\t\n"


def test_a_plot_lies_beside_the_log(lua: Lua, tmp_path: Path) -> None:
    path = tmp_path / "log"
    lua(
        f"require 'optim' local l = optim.Logger({str(path)!r})\n"
        "l:setNames{'train', 'test'} l:style{'-', '+'} l:display(false)\n"
        "for i = 1, 5 do l:add{1 / i, 2 / i} end l:plot()"
    )
    assert (tmp_path / "log.eps").read_bytes().startswith(b"%!PS")


def test_counts_of_a_matrix_of_confusions(lua: Lua) -> None:
    assert lua(
        "require 'optim' local c = optim.ConfusionMatrix{'a', 'b', 'c'}\n"
        "c:batchAdd(torch.FloatTensor{{1, 0, 0}, {0, 3, 1}, {0, 1, 2}}, torch.LongTensor{1, 3, 3})\n"
        "c:add(torch.Tensor{0, 0, 1}, 2) c:updateValids()\n"
        "print(c.mat[3][2], c.mat[2][3], c.totalValid, c.averageValid)\n"
        "print(select(2, pcall(c.batchAdd, c, torch.ones(2), torch.ones(3))))\n"
        "print(#c:render())"
    ).splitlines()[:1] == ["1\t1\t0.5\t0.5"]


def test_a_log_makes_its_folder(lua: Lua, tmp_path: Path) -> None:
    path = tmp_path / "new" / "deep" / "log"
    lua(f"require 'optim' optim.Logger({str(path)!r}):add{{loss = 2}}")
    assert path.read_text() == "loss\t\n 2.0000e+00\t\n"
