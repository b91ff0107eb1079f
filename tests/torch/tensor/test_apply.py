"""Functions of programs for each element."""

from __future__ import annotations

from collections.abc import Callable

Lua = Callable[[str], str]


def test_functions_see_each_element_once_in_order(lua: Lua) -> None:
    lua("""
        for _, n in ipairs{1, 2, 3, 8, 101} do
           local x, seen = torch.range(1, n), {}
           x:apply(function(v) seen[#seen + 1] = v return v * 2 end)
           assert(#seen == n and x:sum() == n * (n + 1))
           for i = 1, n do assert(seen[i] == i) end
           local y, calls = torch.range(1, n), 0
           y:map(x, function(a, b)
              calls = calls + 1
              assert(b == 2 * a)
              if calls < n then return a + b end
           end)
           assert(calls == n and y[n] == n and (n == 1 or y[1] == 3))
        end
    """)
