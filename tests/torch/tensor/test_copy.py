"""Copies, in the sizes at which their code takes other paths."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from t7shell import Runtime

Lua = Callable[[str], str]


SIZES = [1, 8, 33, 3, 17, 2, 4, 5, 7, 9, 16, 31, 32, 40]


@pytest.mark.parametrize(
    ("to", "source"),
    [
        ("Double", "Double"),
        ("Float", "Double"),
        ("Double", "Float"),
        ("Int", "Double"),
        ("Half", "Half"),
        ("Long", "Int"),
        ("Float", "Long"),
        ("Byte", "Short"),
    ],
)
def test_matrices_of_all_layouts_are_copied(lua: Lua, to: str, source: str, slow: bool) -> None:
    sizes = ", ".join(map(str, SIZES if slow else SIZES[:5]))
    lua(f"""
        local function layouts(T, rows, columns)
           local wide = T(rows + 2, columns + 3):zero()
           return {{
              T(rows, columns):zero(), T(columns, rows):zero():t(), wide:sub(2, rows + 1, 3, columns + 2),
              T(columns + 3, rows + 2):zero():t():sub(2, rows + 1, 3, columns + 2),
              T(rows, columns, 2):zero():select(3, 2), T(rows, 2, columns):zero():select(2, 2),
           }}, wide
        end
        for _, rows in ipairs {{ {sizes} }} do
           for _, columns in ipairs {{ {sizes} }} do
              local sources = layouts(torch.{source}Tensor, rows, columns)
              for k, x in ipairs(sources) do
                 for i = 1, rows do
                    for j = 1, columns do x[i][j] = (i * 41 + j) % 113 end
                 end
                 local results, wide = layouts(torch.{to}Tensor, rows, columns)
                 for l, r in ipairs(results) do
                    r:copy(x)
                    for i = 1, rows, rows > 9 and 3 or 1 do
                       for j = 1, columns do assert(r[i][j] == (i * 41 + j) % 113, rows .. 'x' .. columns) end
                    end
                 end
                 -- Nothing was written around the part of a larger matrix.
                 assert(wide:double():sum() == x:double():sum())
              end
           end
        end
    """)


@pytest.mark.parametrize(
    ("to", "source"), [("Float", "Double"), ("Double", "Float"), ("Char", "Long"), ("Half", "Int")]
)
def test_vectors_are_converted(lua: Lua, to: str, source: str) -> None:
    lua(f"""
        for n = 1, 70 do
           local x, r = torch.range(1, n):type('torch.{source}Tensor'), torch.{to}Tensor(n + 2):fill(9)
           r:narrow(1, 2, n):copy(x)
           assert(r[1] == 9 and r[n + 2] == 9)
           for i = 1, n do assert(r[i + 1] == i, n) end
        end
    """)


def test_rows_that_are_written_while_they_are_read(lua: Lua) -> None:
    # Element by element, as the original does it where layouts are not contiguous.
    assert (
        lua("""
        local x = torch.range(1, 40):resize(2, 20)
        x:narrow(2, 2, 10):copy(x:narrow(2, 1, 10))
        print(x[1][11], x[2][11], x[1][12])
        local y = torch.range(1, 40):resize(2, 20)
        y:narrow(2, 1, 10):copy(y:narrow(2, 2, 10))
        print(y[1][1], y[1][10], y[2][10])
    """)
        == "1\t21\t12\n2\t11\t31\n"
    )


@pytest.mark.parametrize("n", [7, 16, 100, 600])
def test_copies_of_what_overlaps_go_element_by_element(n: int) -> None:
    x = np.arange(1.0, n * n + 1).reshape(n, n)
    transposed = Runtime().execute(f"local x = torch.range(1, {n * n}):resize({n}, {n}) return x:copy(x:t())")
    assert (transposed == np.triu(x.T) + np.tril(x, -1)).all()
    # Each column is read after it was written, from the second on.
    later = f"""local s = torch.range(1, {3 * n}):storage()
       local sizes, strides = torch.LongStorage{{3, {n - 2}}}, torch.LongStorage{{1, 3}}
       torch.Tensor(s, 3, sizes, strides):copy(torch.Tensor(s, 1, sizes, strides))
       return torch.Tensor(s)"""
    expected = np.arange(1.0, 3 * n + 1)
    for k in range(3):
        for column in range(n - 2):
            expected[k + 3 * column + 2] = expected[k + 3 * column]
    assert (Runtime().execute(later) == expected).all()


def test_a_long_vector_that_overlaps_another() -> None:
    source = "local x = torch.range(0, 99998) x:view(-1, 3):select(2, 2):copy(x:narrow(1, 1, 33333)) return x"
    expected = np.arange(0.0, 99999)
    for k in range(33333):
        expected[3 * k + 1] = expected[k]
    assert (Runtime().execute("torch.setnumthreads(1) " + source) == expected).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "int16", "int32", "int64"])
def test_fills_of_all_layouts(dtype: str) -> None:
    runtime = Runtime()
    views = [
        ("x:t()", np.s_[:]),
        ("x:narrow(2, 3, 50)", np.s_[:, 2:52]),
        ("x:narrow(1, 4, 1)", np.s_[3:4]),
        ("x:select(2, 6)", np.s_[:, 5]),
        ("x:unfold(1, 1, 3):select(3, 1)", np.s_[::3]),
        ("x:view(10, 6, 700):transpose(1, 3)", np.s_[:]),
    ]
    for source, where in views:
        runtime.globals()["x"] = np.zeros((60, 700), dtype)
        got = np.array(runtime.execute(f"local x = x:clone() local v = {source} v:fill(7) return x"))
        expected = np.zeros((60, 700), dtype)
        expected[where] = 7
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "int64"])
def test_fills_and_stores_of_few_elements_that_are_no_neighbors(dtype: str) -> None:
    runtime = Runtime()
    for n in (1, 2, 7, 8, 15, 16, 31, 32, 33):
        runtime.globals()["x"] = np.zeros((n, 5), dtype)
        filled, stored, expanded = runtime.execute("""
           local a, b, c = x:clone(), x:clone(), x:clone()
           a:select(2, 3):fill(7)
           b[{{}, 4}] = 5
           c:narrow(1, 1, 1):select(2, 2):expand(x:size(1)):fill(9)
           return a, b, c""")
        for got, where, value in (
            (filled, np.s_[:, 2], 7),
            (stored, np.s_[:, 3], 5),
            (expanded, np.s_[0, 1], 9),
        ):
            expected = np.zeros((n, 5), dtype)
            expected[where] = value
            np.testing.assert_array_equal(np.asarray(got), expected)
    for rows in (1, 3, 7, 8):
        for columns in (1, 3, 7, 8):
            runtime.globals()["x"] = np.zeros((9, 9), dtype)
            got = runtime.execute(f"""
               local a, b = x:clone(), x:clone()
               local v = x:clone():narrow(1, 1, {rows}):narrow(2, 1, {columns}):fill(3)
               a[{{{{2, {rows + 1}}}, {{2, {columns + 1}}}}}] = 3
               b:t()[{{{{2, {rows + 1}}}, {{2, {columns + 1}}}}}] = v
               return a, b""")
            expected = np.zeros((9, 9), dtype)
            expected[1 : rows + 1, 1 : columns + 1] = 3
            np.testing.assert_array_equal(np.asarray(got[0]), expected)
            np.testing.assert_array_equal(np.asarray(got[1]), expected.T)


@pytest.mark.parametrize("n", [2, 9, 31, 32])
def test_short_vectors_that_overlap_are_copied_element_by_element(n: int) -> None:
    source = f"""local x = torch.range(0, {3 * n - 1})
       x:view(-1, 3):select(2, 2):copy(x:narrow(1, 1, {n})) return x"""
    expected = np.arange(0.0, 3 * n)
    for k in range(n):
        expected[3 * k + 1] = expected[k]
    assert (Runtime().execute(source) == expected).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "int64"])
def test_copies_of_expanded_columns(dtype: str) -> None:
    runtime = Runtime()
    for columns in (3, 8, 31, 32, 33, 1000):
        column = (np.random.default_rng(columns).random(20) * 100).astype(dtype)
        runtime.globals()["column"] = column
        got = runtime.execute(f"""
           local x, y = column:view(20, 1):expand(20, {columns}):clone(), column.new(20, {columns} + 2):zero()
           y:narrow(2, 2, {columns}):copy(column:view(20, 1):expand(20, {columns}))
           return x, y, column:view(4, 5, 1):expand(4, 5, {columns}):clone()""")
        plain, part, cube = (np.asarray(value) for value in got)
        expected = np.repeat(column[:, None], columns, axis=1)
        np.testing.assert_array_equal(plain, expected)
        np.testing.assert_array_equal(part, np.pad(expected, ((0, 0), (1, 1))))
        np.testing.assert_array_equal(cube, expected.reshape(4, 5, columns))


def views(x: np.ndarray, draw: np.random.Generator) -> tuple[str, np.ndarray]:
    """A view of an array of up to six dimensions as a program in Lua, and as NumPy sees it."""
    source = "x"
    for _ in range(draw.integers(1, 5)):
        d = int(draw.integers(x.ndim))
        e, n = int(draw.integers(x.ndim)), x.shape[d]
        kind = draw.integers(4)
        if kind == 0:
            x, source = x.swapaxes(d, e), f"{source}:transpose({d + 1}, {e + 1})"
        elif kind == 1 and n > 2:
            x = x[(slice(None),) * d + (slice(1, n - 1),)]
            source += f":narrow({d + 1}, 2, {n - 2})"
        elif kind == 2 and n > 1 and x.ndim < 6:
            x = np.lib.stride_tricks.sliding_window_view(x, 2, d)
            source += f":unfold({d + 1}, 2, 1)"
        elif kind == 3 and n == 1:
            x = np.repeat(x, 3, d)
            source += f":expand({', '.join(map(str, x.shape))})"
    return source, x


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "int16", "int32", "int64"])
@pytest.mark.parametrize("longest", [5, 40])
def test_copies_between_layouts_of_many_dimensions(dtype: str, longest: int) -> None:
    draw = np.random.default_rng(longest)
    with Runtime() as runtime:
        for _ in range(120 if longest == 5 else 30):
            shape = tuple(int(n) for n in draw.integers(1, longest, draw.integers(3, 5)))
            x = draw.integers(0, 100, shape).astype(dtype)
            source, expected = views(x, draw)
            runtime.globals()["x"] = x
            clone, around = runtime.execute(f"""
               local v = {source}
               -- A larger tensor whose last dimension comes first.
               local sizes = v:size()
               for d = 1, #sizes do sizes[d] = sizes[d] + 2 end
               local around = x.new():resize(sizes):zero():transpose(1, #sizes):clone():transpose(1, #sizes)
               local inner = around
               for d = 1, #sizes do inner = inner:narrow(d, 2, v:size(d)) end
               inner:copy(v)
               return v:clone(), around""")
            np.testing.assert_array_equal(np.asarray(clone), expected, source)
            np.testing.assert_array_equal(np.asarray(around), np.pad(expected, 1), source)


def test_copies_to_elements_that_coincide_leave_the_last(lua: Lua) -> None:
    # In the order of the source's elements, also where there are many.
    lua("""
        for _, n in ipairs { 3, 60 } do
           local x = torch.range(1, 4 * n * n):view(n, 4, n)
           local r = torch.Tensor(1, 4, 1)
           r:expand(n, 4, n):copy(x)
           for i = 1, 4 do assert(r[1][i][1] == x[n][i][n]) end
        end
    """)


@pytest.mark.parametrize("source", ["float32", "float64"])
@pytest.mark.parametrize("special", [1.0, np.nan, np.inf])
def test_conversions_of_many_fractions(source: str, special: float) -> None:
    runtime = Runtime()
    for n in (255, 256, 5000, 200_000):
        x = (np.random.default_rng(n).random(n) * 100).astype(source)
        x[n // 3] = special
        runtime.globals()["given"] = x
        single, double, byte, long = runtime.execute("""
           local x = given:clone()
           return x:float(), x:double(), x:byte(), x:long()""")
        np.testing.assert_array_equal(np.asarray(single), x.astype("float32"))
        np.testing.assert_array_equal(np.asarray(double), x.astype("float64"))
        rest = np.arange(n) != n // 3
        np.testing.assert_array_equal(np.asarray(byte)[rest], x[rest].astype("uint8"))
        np.testing.assert_array_equal(np.asarray(long)[rest], x[rest].astype("int64"))


@pytest.mark.parametrize(("rows", "columns"), [(9, 12), (20, 9), (12, 30)])
def test_the_last_row_counts_where_rows_overlap(rows: int, columns: int) -> None:
    source = np.arange(float(rows * columns)).reshape(rows, columns)
    expected = np.zeros(rows + columns - 1)
    for row in range(rows):
        expected[row : row + columns] = source[row]
    program = f"""
       local line = torch.FloatTensor({rows + columns - 1}):zero()
       line:unfold(1, {columns}, 1):copy(torch.range(0, {rows * columns - 1}):view({rows}, {columns}))
       return line"""
    np.testing.assert_array_equal(np.asarray(Runtime().execute(program)), expected)


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((1, 3, 5), (9, 1, 2)),
        ((3, 2, 2), (2, 1, 1)),
        ((1, 12, 12), (9, 1, 1)),
        ((5, 60, 56), (60, 1, 60)),
        ((200, 196, 5), (200, 1, 1)),
        ((1, 900, 700), (1, 0, 1)),
    ],
)
def test_of_elements_that_share_memory_the_last_one_stays(
    shape: tuple[int, int, int], strides: tuple[int, int, int]
) -> None:
    """As a loop in row-major order writes them, for any layout of the source and number of threads."""
    runtime, count = Runtime(), int(np.prod(shape))
    runtime.execute("torch.setnumthreads(2)")
    rows, columns, depth = np.indices(shape)
    places = (rows * strides[0] + columns * strides[1] + depth * strides[2]).ravel()
    lists = [", ".join(map(str, numbers)) for numbers in (shape, strides)]
    for order in [(0, 1, 2), (2, 1, 0), (1, 0, 2)]:
        sizes = [shape[d] for d in order]
        expected = np.zeros(int(places.max()) + 1)
        expected[places] = (np.arange(count) % 97).reshape(sizes).transpose(np.argsort(order)).ravel()
        permutation = ", ".join(str(d + 1) for d in np.argsort(order))
        for kinds in [("Double", "Double"), ("Float", "Double"), ("Byte", "Long"), ("Half", "Half")]:
            got = runtime.execute(f"""
               local target, source = torch.{kinds[0]}Tensor, torch.{kinds[1]}Tensor
               local from = source({count}):copy(torch.range(0, {count - 1}):fmod(97))
               from = from:view({", ".join(map(str, sizes))}):permute({permutation})
               local memory = target({len(expected)}):copy(torch.zeros({len(expected)}))
               local size, stride = torch.LongStorage{{{lists[0]}}}, torch.LongStorage{{{lists[1]}}}
               target(memory:storage(), 1, size, stride):copy(from)
               return memory:double()""")
            np.testing.assert_array_equal(np.asarray(got), expected, err_msg=f"{order} {kinds}")
