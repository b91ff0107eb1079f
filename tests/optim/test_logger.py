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


def test_columns_of_named_rows_are_in_the_order_of_their_keys(lua: Lua, tmp_path: Path) -> None:
    # What Torch7 wrote, where rows in another order of keys were written in that order.
    path = tmp_path / "log"
    lua(
        f"require 'optim' local l = optim.Logger({str(path)!r})\n"
        "for i = 1, 2 do l:add{zeta = i, loss = 2, acc = 1, b = 'x'} end l:add{b = 'y', acc = 3}"
    )
    if lua("print(require('torch.base.key_order').native)") == "true\n":
        row = " %d.0000e+00\t 2.0000e+00\tx\t 1.0000e+00\t\n"
        assert path.read_text() == "zeta\tloss\tb\tacc\t\n" + row % 1 + row % 2 + "y\t 3.0000e+00\t\n"


def test_rows_by_the_names_of_columns(lua: Lua, tmp_path: Path) -> None:
    path = tmp_path / "log"
    lua(
        f"require 'optim' local l = optim.Logger({str(path)!r}):setNames{{'loss', 'acc'}}\n"
        "l:add{acc = 1, loss = 2} l:add{3}"
    )
    assert path.read_text() == "loss\tacc\t\n 2.0000e+00\t 1.0000e+00\t\n 3.0000e+00\t\n"


def test_rates_of_classes_that_were_never_a_target(lua: Lua) -> None:
    # What Torch7 printed.
    assert lua(
        "require 'optim' local c = optim.ConfusionMatrix(4)\n"
        "c:batchAdd(torch.Tensor{1, 2, 3, 3}, torch.Tensor{1, 1, 4, 1})\n"
        "for _, x in ipairs{c:farFrr()} do print(table.concat(x:totable(), ' ')) end"
    ).splitlines() == [
        "0.66666666666667 -1 -1 1",
        "0 -1 -1 0",
        "0.66666666666667 1",
        "0 0",
    ]


def test_a_matrix_of_one_class_and_targets_that_are_none(lua: Lua) -> None:
    # What Torch7 counted.
    assert (
        lua(
            "require 'optim' local c, d = optim.ConfusionMatrix(1), optim.ConfusionMatrix(2)\n"
            "c:add(torch.Tensor{560}, 1) c:add(torch.Tensor{3}, torch.Tensor{0}) d:add(7, 0)\n"
            "print(c.mat[1][1], d.mat:sum()) d.mat[1][1] = 1e7 print((tostring(d):gsub('\\n.*', '')))\n"
            "print(tostring(d):match('%[%[.-%]'))"
        )
        == "2\t0\nConfusionMatrix:\n[[10000000       0]\n"
    )


def test_confusion_compares_scores_as_floats(lua: Lua) -> None:
    """The values were printed by the original. A vector of one element holds a score, not a class."""
    program = """
    require 'optim'
    local c = optim.ConfusionMatrix(3)
    c:add(torch.Tensor{1, 1 + 1e-9, 1}, 2)
    c:batchAdd(torch.Tensor{{1, 1, 1 + 1e-9}}, torch.Tensor{{0, 0, 1}})
    c:add(torch.Tensor{2}, torch.Tensor{3})
    print(unpack(c.mat:view(-1):totable()))
    print(c._prediction[1], c._max[1], c._pred_idx[1], c._target[1], c._targ_idx[1])
    c:add(1, 2)
    c:farFrr()
    print(c.averageUnionValid, c._frrs[1], c._frrs[2], c._frrs[3], c._fars[1], c._fars[2])"""
    assert lua(program) == ("1\t0\t0\t1\t0\t0\t1\t0\t0\n2\t2\t1\t3\t1\nnil\t0\t1\t1\t1\t0\n")


def test_confusion_takes_no_batch_for_a_vector(lua: Lua) -> None:
    program = """
    require 'optim'
    print((select(2, pcall(function() optim.ConfusionMatrix(3):add(torch.rand(4, 3), 1) end))))"""
    assert "the prediction must be a number or a vector (got DoubleTensor [4x3])" in lua(program)


def test_confusion_takes_columns_of_classes(lua: Lua) -> None:
    program = """
    require 'optim'
    local c, columns = optim.ConfusionMatrix(3), torch.Tensor{{1, 3}, {1, 2}}
    c:batchAdd(columns:narrow(2, 1, 1), columns:select(2, 2))
    print(unpack(c.mat:view(-1):totable()))"""
    assert lua(program) == "0\t0\t0\t1\t0\t0\t1\t0\t0\n"
