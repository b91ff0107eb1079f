"""Random numbers: NumPy's own Mersenne Twister is the second source of the streams."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from tests.numbers import arrays

Lua = Callable[[str], str]


def words(seed: int, count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The first numbers of mt19937 with a seed, as whole numbers below 2^32."""
    state = np.random.RandomState(seed)
    return state.randint(0, 2**32, count, dtype=np.uint32).astype(float)


@pytest.mark.parametrize("seed", [0, 1, 42, 123456789, 2**31 - 1])
def test_stream_of_a_seed(lua: Lua, seed: int) -> None:
    # 7000 numbers are more than ten renewals of the state.
    (drawn,) = arrays(lua, f"torch.manualSeed({seed}) local x = torch.Tensor(7000):random()", "x")
    assert np.array_equal(drawn, words(seed, 7000))


def test_uniform_keeps_all_bits(lua: Lua) -> None:
    source = "torch.manualSeed(3) local x, f = torch.rand(1500), torch.FloatTensor(1500)"
    (x, f, y) = arrays(lua, source + " f:uniform() local y = torch.Tensor(9):uniform(-2, 5)", "x", "f", "y")
    unit = words(3, 3009) * 2.0**-32
    assert np.array_equal(x, unit[:1500])
    assert np.array_equal(f, unit[1500:3000].astype(np.float32))
    assert np.array_equal(y, unit[3000:] * 7 - 2)


def normal_numbers(seed: int, pairs: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    unit = words(seed, 2 * pairs) * 2.0**-32
    x, y = unit[0::2], unit[1::2]
    rho = np.sqrt(-2 * np.log(1 - y))
    return np.stack([rho * np.cos(2 * np.pi * x), rho * np.sin(2 * np.pi * x)], 1).ravel()


def test_normal_is_box_muller(lua: Lua) -> None:
    (x,) = arrays(lua, "torch.manualSeed(7) local x = torch.Tensor(5000):normal(0, 1)", "x")
    assert np.allclose(x, normal_numbers(7, 2500), rtol=1e-12, atol=1e-15)


def test_normal_pairs_go_on_over_calls_and_renewals(lua: Lua) -> None:
    source = """
    torch.manualSeed(7)
    local x = torch.Tensor(2600)
    local at = 1
    for i = 1, 60 do
       x:narrow(1, at, i):normal() at = at + i
    end
    for i = at, 2600 do x[i] = torch.normal() end
    """
    (x,) = arrays(lua, source, "x")
    assert np.allclose(x, normal_numbers(7, 1300), rtol=1e-12, atol=1e-15)


def test_second_of_a_pair_is_scaled_by_the_call_that_takes_it(lua: Lua) -> None:
    (a, b) = arrays(lua, "torch.manualSeed(5) local a, b = torch.normal(), torch.normal(10, 3)", "a", "b")
    first, second = normal_numbers(5, 1)
    assert a == pytest.approx(first, rel=1e-13)
    assert b == pytest.approx(10 + 3 * second, rel=1e-13)


def test_other_distributions(lua: Lua) -> None:
    unit = words(11, 4) * 2.0**-32
    source = """
    local function draw(f, ...) torch.manualSeed(11) return torch.Tensor(4)[f](torch.Tensor(4), ...) end
    local e, c, l = draw('exponential', 2), draw('cauchy', 1, 3), draw('logNormal', 0.5, 0.25)
    local g, b = draw('geometric', 0.7), draw('bernoulli', 0.4)
    """
    e, c, lognormal, g, b = arrays(lua, source, "e", "c", "l", "g", "b")
    assert np.allclose(e, -np.log(1 - unit) / 2, rtol=1e-14)
    assert np.allclose(c, 1 + 3 * np.tan(np.pi * (unit - 0.5)), rtol=1e-12)
    assert np.allclose(lognormal, np.exp(0.5 + 0.25 * normal_numbers(11, 2)), rtol=1e-13)
    assert np.array_equal(g, np.floor(np.log(1 - unit) / math.log(0.7)) + 1)
    assert np.array_equal(b, unit <= 0.4)


RANGES = {
    "Byte": 2**8, "Char": 2**7, "Short": 2**15, "Int": 2**31,
    "Long": 2**32, "Float": 2**24 + 1, "Double": 2**32,
}  # fmt: skip


@pytest.mark.parametrize("kind", RANGES)
def test_ranges_of_the_types(lua: Lua, kind: str) -> None:
    source = f"torch.manualSeed(9) local x = torch.{kind}Tensor(300):random()"
    source += f" local y = torch.{kind}Tensor(50):random(9) local z = torch.{kind}Tensor(50):random(20, 29)"
    x, y, z = arrays(lua, source, "x", "y", "z")
    expected = words(9, 400)
    assert np.array_equal(x, expected[:300] % RANGES[kind])
    assert np.array_equal(y, expected[300:350] % 9 + 1)
    assert np.array_equal(z, expected[350:] % 10 + 20)


@pytest.mark.parametrize("fill", ["uniform()", "normal()", "random(50)", "bernoulli(0.3)", "geometric(0.5)"])
def test_layout_does_not_matter(lua: Lua, fill: str) -> None:
    source = f"""
    torch.manualSeed(2) local x = torch.Tensor(7, 5):{fill}
    torch.manualSeed(2) local y = torch.Tensor(5, 9, 7):transpose(1, 3):select(2, 4):{fill}
    """
    x, y = arrays(lua, source, "x", "y")
    assert np.array_equal(x, y)


def test_randperm_is_fisher_yates(lua: Lua) -> None:
    drawn = words(21, 2000)
    expected = list(range(1, 2001))
    for i in range(1999):
        j = i + int(drawn[i]) % (2000 - i)
        expected[i], expected[j] = expected[j], expected[i]
    source = "torch.manualSeed(21) local x = torch.randperm(2000)"
    source += " torch.manualSeed(21) local r = torch.IntTensor(2000, 2):select(2, 1) r:randperm(2000)"
    x, r = arrays(lua, source, "x", "r")
    assert x.tolist() == expected
    assert r.tolist() == expected


def test_multinomial_follows_the_cumulative_distribution(lua: Lua) -> None:
    weights = np.array([[1.0, 0, 3, 6], [5, 5, 0.5, 0]])
    unit = words(4, 40) * 2.0**-32
    cumulative = weights.cumsum(1) / weights.sum(1, keepdims=True)
    rows = zip(cumulative, unit.reshape(2, 20), strict=True)
    expected = [(np.searchsorted(c, u) + 1).tolist() for c, u in rows]
    source = "torch.manualSeed(4) local x = torch.multinomial(torch.Tensor{{1,0,3,6},{5,5,.5,0}}, 20, true)"
    (x,) = arrays(lua, source, "x")
    assert x.tolist() == expected


def test_multinomial_without_replacement(lua: Lua) -> None:
    source = """
    torch.manualSeed(6)
    local x = torch.multinomial(torch.Tensor{4, 1, 0, 2, 3}, 4)
    local first = torch.zeros(5)
    for i = 1, 4000 do
       local k = torch.multinomial(torch.Tensor{4, 1, 0, 2, 3}, 2)[2]
       first[k] = first[k] + 1 / 4000
    end
    """
    x, second = arrays(lua, source, "x", "first")
    assert sorted(x.tolist()) == [1, 2, 4, 5]
    p = np.array([4, 1, 0, 2, 3]) / 10
    expected = [sum(p[j] * p[k] / (1 - p[j]) for j in range(5) if j != k) for k in range(5)]
    assert np.allclose(second, expected, atol=0.03)


def test_alias_tables_keep_the_probabilities(lua: Lua) -> None:
    weights = np.array([0.05, 0.3, 0.1, 0.25, 0.02, 0.28])
    source = f"local s = torch.multinomialAliasSetup(torch.Tensor{{{','.join(map(str, weights))}}})"
    alias, share = arrays(lua, source, "s[1]", "s[2]")
    mass = share / 6
    for k in range(6):
        mass[int(alias[k]) - 1] += (1 - share[k]) / 6
    assert np.allclose(mass, weights)


@pytest.mark.parametrize("call", ["torch.multinomialAliasSetup_(p, q)", "torch.multinomialAliasSetup_(p, j)",
                                  "p:multinomialAliasSetup_(j, q)"])  # fmt: skip
def test_alias_tables_into_given_tensors(lua: Lua, call: str) -> None:
    # What Torch7 gave.
    values = "local p, q, j = torch.Tensor{0.1, 0.2, 0.3, 0.4}, torch.Tensor(2, 3), torch.LongTensor(7)"
    j, q = arrays(lua, f"{values} local a, b = {call} assert(rawequal(a, j) or rawequal(b, q))", "a", "b")
    assert j.tolist() == [4, 4, 1, 3] and np.allclose(q, [0.4, 0.8, 1, 0.8])


def test_state_goes_back(lua: Lua) -> None:
    source = """
    torch.manualSeed(13) torch.normal() torch.Tensor(700):uniform()
    local s = torch.getRNGState()
    local a = torch.Tensor(900):normal()
    torch.setRNGState(s)
    local b = torch.Tensor(900):normal()
    print(s:type(), s:nElement(), (a - b):abs():max(), torch.initialSeed())
    """
    assert lua(source) == "torch.ByteTensor\t5048\t0\t13\n"


def test_state_has_the_layout_of_the_struct(lua: Lua) -> None:
    (state,) = arrays(lua, "torch.manualSeed(1) torch.random() local s = torch.getRNGState()", "s")
    raw = state.astype(np.uint8).tobytes()
    seed, left, seeded, position = np.frombuffer(raw, np.dtype("<i8,<i4,<i4,<i8"), 1)[0]
    assert (seed, left, seeded, position) == (1, 624, 1, 1)
    key = np.random.RandomState(1)
    key.randint(0, 2**32, 1, dtype=np.uint32)
    assert np.array_equal(np.frombuffer(raw, "<u8", 624, 24), key.get_state()[1])  # type: ignore[index]


def test_generators_are_separate(lua: Lua) -> None:
    source = """
    local g = torch.Generator()
    torch.manualSeed(g, 30) torch.manualSeed(31)
    local a, b = torch.Tensor(3):uniform(g, 0, 1), torch.rand(3)
    local c = torch.rand(g, 1, 3)
    """
    a, b, c = arrays(lua, source, "a", "b", "c")
    assert np.array_equal(np.concatenate([a, c[0]]), words(30, 6) * 2.0**-32)
    assert np.array_equal(b, words(31, 3) * 2.0**-32)


def test_generator_is_an_object_of_its_type(lua: Lua) -> None:
    source = "local g = torch.Generator() torch.manualSeed(g, 30)"
    source += " print(torch.type(g), type(g), torch.initialSeed(g), tostring(g))"
    assert lua(source) == "torch.Generator\tuserdata\t30\ttorch.Generator\n"


def test_generator_goes_through_a_file(lua: Lua) -> None:
    source = """
    local g, h = torch.Generator(), torch.Generator()
    torch.manualSeed(g, 3) torch.normal(g)
    local file = torch.MemoryFile()
    g:write(file) file:seek(1) h:read(file)
    print(torch.normal(h) == torch.normal(g), torch.random(h) == torch.random(g), g.nothing)
    """
    assert lua(source) == "true\ttrue\tnil\n"


def test_unseeded_streams_differ() -> None:
    command = [sys.executable, "-m", "t7shell", "-e", "print(torch.random(), torch.initialSeed())"]
    runs = {subprocess.run(command, capture_output=True, text=True, timeout=60).stdout for _ in range(2)}
    assert len(runs) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("torch.random(5, 1)", "the upper bound must be at least the lower bound 5"),
        ("torch.random(1e19)", "argument 1 must be an integer of 64 bits (got 1e+19)"),
        ("torch.LongTensor(2):random(1, 2^63)", "argument 2 must be an integer of 64 bits (got 9.223"),
        ("torch.normal(0, 0)", "the standard deviation must be positive"),
        ("torch.bernoulli(1.5)", "the probability must be 0 to 1"),
        ("torch.geometric(0)", "the probability must be between 0 and 1"),
        ("torch.randperm(0)", "must be at least 1"),
        ("torch.multinomial(torch.zeros(2), 1)", "the sum of the probabilities must be positive"),
        ("torch.multinomial(torch.ones(2), 3)", "at most 2 samples"),
        ("torch.LongTensor.multinomial(torch.ones(2), 1)", "nil value"),
        (
            "torch.multinomialAlias(torch.LongTensor(1), {torch.LongTensor{9}, torch.zeros(1)})",
            "indices must be 1 to 1",
        ),
        ("torch.setRNGState(torch.ByteTensor(5048):zero())", "must hold the state of a generator"),
        ("torch.setRNGState(torch.ByteTensor(7))", "5048 bytes"),
        ("torch.Tensor(2):bernoulli(torch.Tensor{0.5})", "inconsistent tensor sizes"),
        ("torch.IntTensor(2):normal()", "nil value"),
    ],
)
def test_bad_arguments(lua: Lua, call: str, message: str) -> None:
    assert message in lua(f"print(select(2, pcall(function() return {call} end)))")


# The sum of 200 numbers, and the last but one, as the original printed them.
@pytest.mark.parametrize(
    ("call", "total", "element"),
    [
        ("uniform(-0.1, 0.3)", "19.798837167211", "0.0645534545"),
        ("normal(0.1, 0.3)", "24.314349861233", "-0.0915418491"),
        ("exponential(0.1)", "2071.1604816131", "5.29980612"),
    ],
)
def test_parameters_of_floats_are_rounded(lua: Lua, call: str, total: str, element: str) -> None:
    program = f"""
    torch.manualSeed(5) local x = torch.FloatTensor(200):{call}
    print(x:double():sum(), ('%.9g'):format(x[199]))"""
    assert lua(program) == f"{total}\t{element}\n"
