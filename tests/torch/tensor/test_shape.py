"""Orders of dimensions."""

from __future__ import annotations

from collections.abc import Callable

Lua = Callable[[str], str]


def test_all_orders_of_dimensions(lua: Lua) -> None:
    lua("""
        -- Every element by its indices, for which nothing is copied.
        local function check(r, x)
           if x:dim() == 1 then
              for i = 1, x:size(1) do assert(r[i] == x[i]) end
           else
              for i = 1, x:size(1), x:size(1) > 4 and 3 or 1 do check(r[i], x[i]) end
           end
        end
        for _, sizes in ipairs{
           {2, 3, 4}, {9, 3, 12}, {3, 30, 33}, {2, 3, 4, 5}, {3, 9, 2, 16}, {30, 3, 20, 20}
        } do
           local dims = #sizes
           for first = 1, dims do
              for second = first, dims do
                 local x = torch.FloatTensor(torch.LongStorage(sizes))
                 local n = 0
                 x:apply(function() n = n + 1 return n end)
                 x = x:transpose(first, second):transpose(2, dims)
                 check(x:clone(), x)
                 check(torch.DoubleTensor(x:size()):copy(x), x)
                 local turned = torch.FloatTensor(torch.LongStorage(sizes)):transpose(2, dims)
                 turned:copy(x)
                 check(turned:contiguous():view(-1), x:contiguous():view(-1))
                 check(x:narrow(1, 2, x:size(1) - 1):clone(), x:narrow(1, 2, x:size(1) - 1))
              end
           end
        end
    """)
