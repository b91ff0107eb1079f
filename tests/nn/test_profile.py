"""nn.Profile: what it prints, and its file, which holds a torch.Timer."""

from __future__ import annotations

import re
from collections.abc import Callable

Lua = Callable[[str], str]


def test_sums_are_printed_and_begin_again(lua: Lua) -> None:
    """The lines are the original's, each for `print_interval` calls."""
    source = """
    require 'nn'
    local m = nn.Profile(nn.Linear(3, 2), 2, 'product')
    for _ = 1, 5 do m:backward(torch.ones(3), m:forward(torch.ones(3))) end
    print(m.numFwds, m.numBwds, m.module == m:get(1))
    """
    *lines, counts = lua(source).splitlines()
    assert [re.sub(r"\d\.\d{3}", "S", line) for line in lines] == [
        "product took S seconds for 2 forward passes",
        "product took S seconds for 2 backward passes",
    ] * 2
    assert counts == "1\t1\ttrue"


def test_a_file_has_a_timer_without_content(lua: Lua) -> None:
    """As the original writes it: the text of a torch.Timer ends after the name of its class."""
    source = r"""
    require 'nn'
    local m = nn.Profile(nn.Linear(3, 2))
    print((torch.serialize(torch.Timer(), 'ascii'):gsub('\n', ' ')))
    local copy = torch.deserialize(torch.serialize(m))
    print(torch.type(copy.timer), copy.timer:time().real < 100,
       (copy:forward(torch.ones(3)) - m:forward(torch.ones(3))):norm())
    """
    assert lua(source) == "4 1 3 V 1 11 torch.Timer \ntorch.Timer\ttrue\t0\n"
