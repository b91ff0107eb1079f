"""The parts of the document runner: regions, examples, comparison, random names."""

from __future__ import annotations

import pytest

from t7shell.doctest.compare import Rule, compare, compare_error, compare_joined, compare_random
from t7shell.doctest.examples import Example, find_examples
from t7shell.doctest.joined_lines import Check
from t7shell.doctest.model import Region
from t7shell.doctest.randomness import RandomNames
from t7shell.doctest.reader import find_regions
from t7shell.doctest.session import LocalSession


@pytest.fixture(scope="module")
def check() -> Check:
    return LocalSession().check


def texts(region: Region) -> list[str]:
    return [line.text for line in region.lines]


def examples(text: str, check: Check) -> list[Example]:
    return [example for region in find_regions(text) for example in find_examples(region, check)]


# Regions.


def test_fences_of_lua_are_regions_and_others_are_not() -> None:
    text = "a\n```lua\nx = 1\n```\nb\n```bash\nls\n```\n~~~\ny = 2\n~~~\n"
    assert [(r.lines[0].number, texts(r)) for r in find_regions(text)] == [(3, ["x = 1"]), (10, ["y = 2"])]


def test_code_may_follow_a_fence_of_six_ticks_on_its_line() -> None:
    (region,) = find_regions("``````> print(x)\n6\n``````\n")
    assert [(line.number, line.text) for line in region.lines] == [(1, "> print(x)"), (2, "6")]


def test_a_longer_fence_may_hold_a_shorter_one() -> None:
    (region,) = find_regions("````\nx = [[\n```\n]]\n````\n")
    assert texts(region) == ["x = [[", "```", "]]"]


def test_a_fence_in_a_list_is_indented() -> None:
    (region,) = find_regions("- item\n\n    ```lua\n    > if x then\n    >>   y()\n    ```\n\n    text\n")
    assert texts(region) == ["> if x then", ">>   y()"]
    assert region.output == ()
    (region,) = find_regions("- item\n\n    ```lua\n    print(5)\n    ```\n\n    text\n")
    assert region.output == ()


def test_an_indented_block_below_a_fence_is_its_output() -> None:
    (region,) = find_regions("```\nx:dim()\n```\n\n\n    6\t\n\n\nAnd so on.\n\n    not output\n")
    assert texts(region) == ["x:dim()"]
    assert [line.text for line in region.output] == ["6\t"]


@pytest.mark.parametrize(
    ("first", "second", "is_output"),
    [
        ("lua", "", True),
        ("lua", "output", True),
        ("", "text", True),
        ("", "", False),
        ("lua", "lua", False),
    ],
)
def test_a_fence_below_a_fence_may_be_its_output(first: str, second: str, is_output: bool) -> None:
    regions = find_regions(f"```{first}\nprint(5)\n```\n\n```{second}\n5\n```\n")
    assert [line.text for line in regions[0].output] == (["5"] if is_output else [])
    assert len(regions) == (1 if is_output else 2)
    regions = find_regions(f"```{first}\nprint(5)\n```\nprose\n```{second}\n5\n```\n")
    assert regions[0].output == ()


def test_an_indented_block_is_a_region_if_it_begins_with_a_prompt() -> None:
    text = "```\n```\nprose\n\n    t7> = 1\n    1\n\nmore\n\n    quoted text\n"
    assert [texts(r) for r in find_regions(text)] == [[], ["t7> = 1", "1"]]


def test_transcripts_of_plain_text_end_with_prose() -> None:
    text = "Prose.\n> x = 1\n> print(x)\n\n 1\n\nMore prose.\nt7> =x\n1\n"
    assert [texts(r) for r in find_regions(text)] == [
        ["> x = 1", "> print(x)", "", " 1"],
        ["t7> =x", "1"],
    ]


# Examples.


@pytest.mark.parametrize("prompt", ["t7> ", "th> ", "> ", "t7>"])
def test_prompts(prompt: str, check: Check) -> None:
    (example,) = examples(f"```\n{prompt}= 1 + 1\n2\n```\n", check)
    assert example == Example(2, "= 1 + 1", "2")


@pytest.mark.parametrize("more", [">> ", "..> ", ". > ", "... ", "> ", "  "])
def test_continuation_lines(more: str, check: Check) -> None:
    (example,) = examples(f"```\n> for i = 1, 2 do\n{more}print(i)\n{more}end\n1\n2\n```\n", check)
    assert [line.strip() for line in example.source.splitlines()] == ["for i = 1, 2 do", "print(i)", "end"]
    assert example.wanted == "1\n2"


def test_lines_before_the_first_prompt_are_one_set_up(check: Check) -> None:
    found = examples("```\n-- two numbers\na = 1\nb = 2\n> = a + b\n3\n```\n", check)
    assert [(e.line, e.source, e.wanted) for e in found] == [
        (2, "-- two numbers\na = 1\nb = 2", ""),
        (5, "= a + b", "3"),
    ]


def test_comment_lines_between_outputs_are_no_output(check: Check) -> None:
    found = examples("```\n> = 1\n1\n-- the next one\n> = 2\n2\n```\n", check)
    assert [e.wanted for e in found] == ["1", "2"]


def test_a_listing_is_one_source(check: Check) -> None:
    (example,) = examples("```\nlocal x = 1\n\nprint(x)\n```\n", check)
    assert (example.source, example.wanted) == ("local x = 1\n\nprint(x)", "")


def test_output_of_a_listing_begins_where_lua_ends(check: Check) -> None:
    text = "```\nx = 5\nprint(x)\n\n5\n[torch.DoubleTensor of size 3]\ny = 6\n= y\n6\n```\n"
    assert [(e.source, e.wanted.strip()) for e in examples(text, check)] == [
        ("x = 5\nprint(x)", "5\n[torch.DoubleTensor of size 3]"),
        ("y = 6", ""),
        ("= y", "6"),
    ]


def test_an_expression_may_go_over_lines(check: Check) -> None:
    (example,) = examples("```\n= f(1,\n2)\n```\n", check)
    assert example.source == "= f(1,\n2)"


def test_output_apart_belongs_to_the_last_example(check: Check) -> None:
    (example,) = examples("```\nx = 6\nprint(x)\n```\n\n    6\n", check)
    assert (example.source, example.wanted) == ("x = 6\nprint(x)", "6")


# Comparison.


@pytest.mark.parametrize(
    ("wanted", "got", "rule"),
    [
        ("1\n", "1\n", Rule.EXACT),
        ("1 2\n3 4", "  1  2\n  3  4\n\n", Rule.WHITESPACE),
        ("1 2 3 4", "1 2\n3 4", None),
        ("1\n[torch.LongStorage of size 1]", " 1\n[torch.LongStorage of size 1]\n", Rule.WHITESPACE),
        ("[torch.DoubleTensor of size 2]", "[torch.DoubleTensor of dimension 2]", Rule.FOOTER),
        ("[torch.Tensor of dimension 2]", "[torch.DoubleTensor of dimension 2]", Rule.FOOTER),
        ("[torch.FloatTensor of dimension 2]", "[torch.DoubleTensor of dimension 2]", None),
        ("[torch.DoubleTensor of dimension 2]", "[torch.DoubleTensor of dimension 3]", None),
        ("table: 0x41f0", "table: 0x7fff01", Rule.ADDRESS),
        ("5\n      [0.0003s]", "5\n", Rule.TIMING),
        ("      [0.0003s]", "", Rule.TIMING),
        ("5\n      [0.0003s]", "6\n", None),
        ("5\n1 -- the last one", "5\n1", Rule.COMMENT),
        ("a\n -- nothing more", "a", Rule.COMMENT),
        ("mode -- rw", "mode -- rw", Rule.EXACT),
        ("0.84", "0.8415", Rule.DIGITS),
        ("0.84", "0.8451", None),
        ("0.8415", "0.84", None),
        ("1.5e-3", "0.00156", None),
        ("1.50e-3", "1.504e-3", Rule.DIGITS),
        ("3", "3.4", None),
        ("3", "3.0", Rule.DIGITS),
        ("1.0 -- about", "1.04", Rule.DIGITS),
        ("nan", "1", None),
        ("begin\n...\nend", "begin\n1\n2\nend", Rule.ELLIPSIS),
        ("begin ... end", "begin 1 finish", None),
        (
            "0.1\n...\n[torch.DoubleTensor of size 5]",
            "0.12\n1\n[torch.DoubleTensor of dimension 5]",
            Rule.ELLIPSIS,
        ),
        ("0.1\n...\n[torch.DoubleTensor of size 5]", "0.16\n1\n[torch.DoubleTensor of dimension 5]", None),
        ("...: got [2] and 3", "line 1:1: got [2] and 3.5", None),
    ],
)
def test_compare(wanted: str, got: str, rule: Rule | None) -> None:
    assert compare(wanted, got) is rule


def test_joined_lines_agree_without_line_breaks() -> None:
    got = " 1  5\n 2  6\n[torch.Tensor of dimension 2x2]\n"
    assert compare_joined("1 5 2 6 [torch.Tensor of dimension 2x2]", got) is Rule.LINES
    assert compare_joined("-- x as a 2D matrix 1 5 2 6 [torch.Tensor of dimension 2x2]", got) is Rule.LINES
    assert compare_joined("1 -- the first 1 element! 5 2 6 [torch.Tensor of size 2x2]", got) is Rule.FOOTER
    assert compare_joined("1 2 5 6 [torch.Tensor of dimension 2x2]", got) is None
    assert compare_joined("1 5 2 [torch.Tensor of dimension 2x2]", got) is None


def test_errors_agree_by_their_message() -> None:
    message = "[3]:1: attempt to index a nil value"
    assert compare_error("", "", message) is Rule.RAISED
    assert compare_error("...: attempt to index a nil value", "", message) is Rule.ELLIPSIS
    shown = '[string "x = y.z"]:1: attempt to index a nil value\nstack traceback:\n\t[C]: in ?'
    assert compare_error(shown, "", message) is Rule.POSITION
    assert compare_error("x\n" + shown, "x\n", message) is Rule.POSITION
    assert compare_error("attempt to call a nil value", "", message) is None


def test_random_outputs_agree_in_shape() -> None:
    wanted = "0.8 0.7\n0.1 0.2\n[torch.DoubleTensor of size 2x2]"
    scaled = "0.01 *\n 0.9 1.1\n 2 -4\n[torch.DoubleTensor of dimension 2x2]"
    assert compare_random(wanted, scaled) is Rule.SHAPE
    assert compare_random(wanted, "0.9 1.1\n2 4\n[torch.DoubleTensor of dimension 2x3]") is None
    assert compare_random(wanted, "0.9 1.1 3\n2 4 3\n[torch.DoubleTensor of dimension 2x2]") is None
    assert compare_random(wanted, wanted) is Rule.EXACT


# Random names.


def visits(*sources: str) -> list[bool]:
    names = RandomNames()
    return [names.visit(source) for source in sources]


def test_values_drawn_without_a_seed_are_random() -> None:
    assert visits("= 1", "= torch.rand(2)", "print(torch.randn(2))") == [False, True, True]
    assert visits("x = 1", "= math.random()", "=x") == [False, True, False]


def test_names_carry_randomness_on() -> None:
    assert visits("x = torch.rand(2)", "y = x + 1", "=y", "x = 3", "=x", "=y") == [
        True,
        True,
        True,
        False,
        False,
        True,
    ]


def test_in_place_methods_make_random_and_fill_ends_it() -> None:
    drawn = visits("x = torch.Tensor(2)", "x:uniform()", "=x", "x:fill(1)", "=x")
    assert drawn == [False, True, True, True, False]
    assert visits("x:copy(torch.rand(2))", "z:copy(x)", "=z") == [True, True, True]


def test_seeded_values_and_mentions_are_not_random() -> None:
    assert visits("torch.manualSeed(1)", "x = torch.rand(2)", "=x") == [False, False, False]
    assert visits("x = 'torch.rand' -- torch.rand", "=x") == [False, False]


def test_networks_are_random() -> None:
    assert visits("net = nn.Sequential():add(nn.Linear(2, 3))", "= net:forward(x)", "= nn.Tanh()") == [
        True,
        True,
        False,
    ]
    assert visits("torch.manualSeed(1)", "= nn.Linear(2, 3).bias") == [False, False]


# Layers that draw when they run, and one whose argument says that it has no weights.
DRAW_LATER = ("Dropout", "SpatialDropout", "WhiteNoise", "RReLU", "BatchNormalization(3, 1e-2, 0.1, false)")


def test_layers_whose_initial_weights_are_drawn() -> None:
    """The layers of the records, made with two seeds: random are those whose weights differ."""
    from t7shell import Runtime
    from tests.nn import layer_records, module_records

    lua = Runtime()
    lua.execute(module_records.SET_UP)
    differ = lua.eval("""function(source)
       local function weights(seed)
          torch.manualSeed(seed)
          local list = loadstring('return nn.' .. source)():parameters() or {}
          for i = 1, #list do list[i] = list[i]:clone() end
          return list
       end
       local first, second = weights(1), weights(2)
       for i = 1, #first do
          if (first[i] - second[i]):abs():max() > 0 then return true end
       end
       return false
    end""")
    lists = [*vars(module_records).values(), *vars(layer_records).values()]
    records = [each for some in lists if isinstance(some, list) for each in some]
    made = {each.make for each in records if hasattr(each, "make")}
    assert len(made) > 150
    for make in made:
        if not make.startswith(DRAW_LATER):
            assert RandomNames().visit(f"m = nn.{make}") == differ(make), make
