"""gsub deep in a recursion, where it is not C's: results, calls and errors are those of C's function."""

from __future__ import annotations

from tests.conftest import Run

# Calls `gsub` in the way of the function `way` and returns what there is to see of it.
LOOK = """
local function shown(...)
   local t = { n = select('#', ...), ... }
   for i = 1, t.n do t[i] = tostring(t[i]) end
   return table.concat(t, ',')
end
local function look(s, pattern, most, kind)
   local calls = {}
   local function by(...)
      local n = #calls + 1
      calls[n] = shown(...)
      if n % 4 == 0 then return nil elseif n % 4 == 1 then return '<' .. calls[n] .. '>' end
      return n % 4 == 2 and n
   end
   by = kind == 'table' and setmetatable({}, { __index = function(_, key) return by(key) end }) or by
   local outcome = shown(pcall(function() return string.gsub(s, pattern, by, most) end))
   return outcome .. ' | ' .. table.concat(calls, ';')
end
local function deep(n, ...)
   if n == 0 then return look(...) end
   return (deep(n - 1, ...))
end
"""

PATTERNS = [
    "", "a", ".", "%w*", "%w-", "^a", "^", "$", "a$", "%f[%w]%w+", "()", "(a)(b)", "(.)(.)", "%b()", "a-",
    "[^%s]*", "^%s*", "(%w+)%s*$", ".-$", "%z", "(a*)(b*)", "(a*()b)", "(", "%", "[a",
]
SUBJECTS = ["", "a", "abc", "aabbab ab", "hello (world) x", "a b  c", "abcabc", "\\0a\\0", " xx "]


def lists(values: list[str]) -> str:
    return "{" + ", ".join(f"'{value}'" for value in values) + "}"


def test_it_does_what_the_function_of_c_does(t7: Run) -> None:
    run = t7("-e", LOOK + f"""
    local count = 0
    for _, pattern in ipairs({lists(PATTERNS)}) do
       for _, s in ipairs({lists(SUBJECTS)}) do
          for _, most in ipairs {{ false, 0, 1, 2, 1.7, -3, '2' }} do
             for _, kind in ipairs {{ 'function', 'table' }} do
                local a, b = look(s, pattern, most or nil, kind), deep(200, s, pattern, most or nil, kind)
                count = count + 1
                if a ~= b then print(kind, pattern, s, most, a, b) end
             end
          end
       end
    end
    print(count)""")
    assert run.stdout.splitlines() == [str(len(PATTERNS) * len(SUBJECTS) * 14)]


def test_values_in_the_depth(t7: Run) -> None:
    run = t7("-e", """
    local function deep(n, ...)
       if n == 0 then return ('one two'):gsub('(%w)(%w*)', ...) end
       local text, count = deep(n - 1, ...)
       return text, count
    end
    print(deep(200, function(first, rest) return rest .. first end))
    print(select(2, pcall(deep, 200, function() return {} end)))
    print(select(2, pcall(deep, 200, function() error 'mine' end)))""")
    assert run.stdout.splitlines()[0] == "neo wot\t2"
    assert run.stdout.splitlines()[1].endswith(": invalid replacement value (a table)")
    assert run.stdout.splitlines()[2].endswith(": mine")
