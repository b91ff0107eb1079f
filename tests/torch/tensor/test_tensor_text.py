"""The text of tensors and storages, where the conformance chapter `printing` leaves it open."""

from __future__ import annotations

import pytest

from t7shell.engine.engine import Engine


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


def text(engine: Engine, expression: str) -> str:
    shown, result = engine.run_captured(f"io.write(tostring({expression}));")
    assert result.ok, result.message
    return shown


@pytest.mark.parametrize(
    ("dialect", "tensor", "empty", "other"),
    [
        (
            "t7",
            "[torch.DoubleTensor of dimension 1x2]",
            "[torch.DoubleTensor with no dimension]",
            "[torch.IntTensor of dimension 1]",
        ),
        (
            "th",
            "[torch.DoubleTensor of size 1x2]",
            "[torch.DoubleTensor with no dimension]",
            "[torch.IntTensor of size 1]",
        ),
        (
            "torch5",
            "[torch.Tensor of dimension 1x2]",
            "[torch.Tensor with no dimension]",
            "[torch.IntTensor of dimension 1]",
        ),
    ],
)
def test_footers_follow_the_dialect(dialect: str, tensor: str, empty: str, other: str) -> None:
    engine = Engine(dialect)
    assert text(engine, "torch.DoubleTensor{{1, 2}}").splitlines() == [" 1  2", tensor]
    assert text(engine, "torch.DoubleTensor()") == empty + "\n"
    assert text(engine, "torch.IntTensor{7}") == f" 7\n{other}\n"
    assert text(engine, "torch.LongStorage{7, 8, 9}").endswith("[torch.LongStorage of size 3]\n")


def test_nan_in_wide_matrices_is_not_split(engine: Engine) -> None:
    row, footer = text(engine, "torch.DoubleTensor(1, 30):fill(0/0)").splitlines()
    assert row == " ".join(["nan"] * 30)
    assert footer == "[torch.DoubleTensor of dimension 1x30]"


def test_tiny_numbers_beside_nan(engine: Engine) -> None:
    lines = engine.run_captured("torch.Tensor{0/0, 1e-200, -1e-200, -0.5}")[0].splitlines()
    assert [float(line) for line in lines[1:4]] == [0, 0, -0.5] and lines[2].startswith("-0.0")


def test_infinity_among_fractions_is_twelve_wide(engine: Engine) -> None:
    lines = text(engine, "torch.DoubleTensor{{2.5, -1/0}, {1/0, 0}}").splitlines()
    assert lines[:2] == ["  2.5000e+00         -inf", "         inf   0.0000e+00"]


def test_scale_and_columns_together_in_three_dimensions(engine: Engine) -> None:
    lines = text(engine, "torch.DoubleTensor(2, 1, 11):fill(0.025)").splitlines()
    nine = "   2.5000" + "  2.5000" * 8
    block = [" Columns 1 to 9", " 0.01 *", nine, "", "Columns 10 to 11", " 0.01 *", "   2.5000  2.5000"]
    assert lines == [
        "(1,.,.) = ",
        *block,
        "",
        "(2,.,.) = ",
        *block,
        "[torch.DoubleTensor of dimension 2x1x11]",
    ]


def test_the_leading_index_moves_fastest_in_five_dimensions(engine: Engine) -> None:
    lines = text(engine, "torch.DoubleTensor(2, 1, 2, 1, 1)").splitlines()
    assert lines[::3] == ["(1,1,1,.,.) = ", "(2,1,1,.,.) = ", "(1,1,2,.,.) = ", "(2,1,2,.,.) = "]


def test_one_format_serves_all_blocks(engine: Engine) -> None:
    lines = text(engine, "torch.DoubleTensor{{{1, 2}}, {{3, 123.5}}}").splitlines()
    assert lines[1] == "    1.0000    2.0000"
    assert lines[4] == "    3.0000  123.5000"


def test_only_the_elements_of_a_view_decide(engine: Engine) -> None:
    assert text(engine, "torch.DoubleTensor{{1, 5000}, {2, 7.5}}:select(2, 1)").startswith(" 1\n 2\n")


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ("0, 0", [" 0", " 0"]),
        ("999999999, 0", [" 999999999", "         0"]),
        ("1000000000, 0", [" 1.0000e+09", " 0.0000e+00"]),
        ("0.09", ["0.01 *", " 9.0000"]),
        ("0.1", [" 0.1000"]),
        ("12345.5, 2.25", [" 12345.5000", "     2.2500"]),
        ("-123456.5", ["100000 *", "-1.2346"]),
        ("1e-10, 0.5", [" 1.0000e-10", " 5.0000e-01"]),
        ("1e-150, 0.5", [" 1.0000e-150", "  5.0000e-01"]),
    ],
)
def test_formats_of_vectors(engine: Engine, values: str, lines: list[str]) -> None:
    assert text(engine, f"torch.DoubleTensor{{{values}}}").splitlines()[:-1] == lines


def test_four_decimals_are_rounded_as_c_rounds_them(engine: Engine) -> None:
    source = """
        torch.manualSeed(5)
        for _, factor in ipairs{1e-3, 0.1, 1, 30, 999, 9e3, 2e4} do
           local x = torch.randn(400):mul(factor)
           -- Numbers half way between two of four decimals, or next to them.
           x:narrow(1, 1, 100):mul(1e4):floor():add(0.5):div(1e4)
           x:narrow(1, 101, 50):mul(64):floor():div(2048)
           x[151], x[152], x[153], x[154] = 0, -0.0, -0.00004, 0.99996
           local shown = tostring(x)
           local width = #shown:match '^[^\\n]*'
           local i = 0
           for line in shown:gmatch '[^\\n]+' do
              i = i + 1
              if i > 400 then break end
              local wanted = ('%' .. width .. '.4f'):format(x[i])
              assert(line == wanted, line .. ' for ' .. wanted)
           end
           assert(i == 401)
        end
    """
    result = engine.execute(source, "=test")
    assert result.ok, result.message
