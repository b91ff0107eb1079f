"""Names and comments use the field's terms: phrases that the code once had for them do not come back."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What was said, and what the field says. Identifiers are matched whole, also behind a dot or a colon.
IDENTIFIERS = {
    "DEEPEST": "MAX_DEPTH",
    "LEAST": "MIN_...",
    "LONGEST": "MAX_LENGTH",
    "MOST": "MAX_...",
    "NANOSECONDS": "NS_PER_...",
    "alive": "keep_alive",
    "any_sum_d": "two_sum_d",
    "are_four": "are_sizes",
    "behind": "after",
    "bring": "copy_back",
    "check_chosen": "check_current_device",
    "choose_bits": "blend",
    "choose_device": "set_device",
    "choose_stream": "set_stream",
    "chosen_device": "current_device",
    "count_of": "numel",
    "draw_parameters": "initialization.uniform",
    "entwined": "aliases, overlaps",
    "extreme": "minmax",
    "few_lines": "small_modules",
    "field_faults": "field_errors",
    "fill_neighbors": "fill_contiguous",
    "film": "video",
    "films": "videos",
    "gives_several": "has_several_results",
    "goes_on": "non_blocking, continues",
    "has_room": "has_space",
    "held_functions": "function_format",
    "in_short": "one_line",
    "in_turn": "sequential",
    "is_away": "is_on_device",
    "is_entwined": "aliases",
    "lack": "lo",
    "laid_out": "is_contiguous",
    "lay_out": "set_strides",
    "least": "minimum, min_...",
    "let_go": "release",
    "load_some": "masked_load",
    "lowered": "base_view",
    "make_room": "reserve, evict",
    "maker": "factory",
    "maker_of": "factory_of",
    "makers": "factories",
    "misfit": "size_error",
    "most": "maximum, max_...",
    "moves_on": "advances",
    "neighbors": "contiguous",
    "others_write": "is_shared",
    "passed_over": "skipped",
    "product_d": "two_product_d",
    "refuse": "argument_error, reject",
    "refuse_nul": "reject_nul",
    "refuse_result": "reject_result",
    "refuse_source": "reject_source",
    "room": "capacity, scratch",
    "row_totals": "column_sums",
    "session_maker": "session_factory",
    "speaks": "has_tostring",
    "spread": "broadcast, scatter, var",
    "spread_all": "var_all",
    "spread_along": "var_along",
    "spread_each": "correlate_transposed_each",
    "spread_rows": "scatter_rows",
    "stand_in": "stub",
    "stand_ins": "stubs",
    "steady": "snapshot",
    "store_some": "masked_store",
    "sum_d": "fast_two_sum_d",
    "t7_extreme_all": "t7_minmax_all",
    "t7_extremes_along": "t7_minmax_along",
    "united": "unified",
    "wait_for_room": "wait_for_space",
    "want_arguments": "request_arguments",
    "want_pairs": "request_pairs",
    "weigh": "weight_gradient",
    "who": "function_name",
}

# Where a word is not the old term: neighbors of pixels, commands of the prompt, processes that are alive.
ALLOWED = {
    "alive": ("lua/packages/parallel/", "t7shell/packages/", "t7shell/cli/", "t7shell/prompt/"),
    "least": ("benchmarks/",),
    "neighbors": ("lua/packages/", "t7shell/native/nn/lrn_body.h", "t7shell/native/nn/pixel_runs_body.h"),
    "refuse": ("t7shell/kernel/", "t7shell/prompt/"),
    "who": ("lua/shell/prompt.lua", "lua/packages/xlua/", "lua/shell/user_variables.lua", "t7shell/prompt/"),
}

# Phrases of comments, where the words alone are English.
PHRASES = (
    r"\bentwined\b",
    r"\blaid_out\b",
    r"\bthe maker of\b",
    r"\bkernel maker\b",
    r"\b(?:over|n) neighbors\b",
    r"\bin_turn\b",
    r"\bpassed over\b",
    r"\bas they come\b",
    r"\bforms of (?:its|the|their) arguments\b",
    r"\bgoe?s? by (?:the|its|name)\b",
    r"\bin the form of\b",
    r"\bnumbers? of Lua\b",
    r"\bnow and then\b",
    r"\banew\b",
    r"\bwhat (?:it|that|they|these|the doubles) lacks?\b",
    r"\ba type of fractions\b",
    r"\bis no module\b",
    r"\bstand-ins?\b",
    r"\b(?:the|previous) (?:output|cell|state) before[.,;:)]",
    r"\b(?:one|each) (?:\w+ )?behind (?:the|each) other\b",
    r"\bending (?:of its name )?says\b",
    r"\b(?:nil|None|false|False) where there (?:is|are) no",
)

LUA = re.compile(
    r"(?P<comment>--\[(=*)\[.*?\]\2\]|--[^\n]*)|\[(=*)\[.*?\]\3\]|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"",
    re.S,
)
C = re.compile(r"(?P<comment>/\*.*?\*/|//[^\n]*)|\"(?:\\.|[^\"\\\n])*\"", re.S)


def split(text: str, pattern: re.Pattern[str]) -> tuple[str, str]:
    """The code without strings, and the comments."""
    comments = [found["comment"] for found in pattern.finditer(text) if found["comment"]]
    return pattern.sub(" ", text), "\n".join(comments)


def split_python(text: str) -> tuple[str, str]:
    code, comments = [], []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            code.append(token.string)
        elif token.type == tokenize.COMMENT or token.string.startswith(('"""', 'r"""')):
            comments.append(token.string)
    return " ".join(code), "\n".join(comments)


def parts(path: Path) -> tuple[str, str]:
    text = path.read_text()
    if path.suffix == ".py":
        return split_python(text)
    return split(text, LUA if path.suffix == ".lua" else C)


def findings(path: Path, name: str) -> list[str]:
    code, comments = parts(path)
    found = []
    for word in sorted(set(re.findall(r"[A-Za-z_]\w*", code)) & IDENTIFIERS.keys()):
        if not name.startswith(ALLOWED.get(word, ())):
            found.append(f"{name}: {word}, better {IDENTIFIERS[word]}")
    for phrase in PHRASES:
        found += [f"{name}: {match.group()}" for match in re.finditer(phrase, comments)]
    return found


def test_old_words_are_found(tmp_path: Path) -> None:
    lua, c, python = (tmp_path / name for name in ("a.lua", "a.c", "a.py"))
    lua.write_text("-- Two entwined tensors.\nlocal n = geometry.count_of('steady')\n")
    c.write_text("/* The sum of n neighbors. */\nint room = 1; /* neighbors of a pixel */\n")
    python.write_text('"""Blocks are passed over."""\nlet_go("room")  # as they come\n')
    assert findings(lua, "a.lua") == ["a.lua: count_of, better numel", "a.lua: entwined"]
    assert findings(c, "a.c") == ["a.c: room, better capacity, scratch", "a.c: n neighbors"]
    assert findings(python, "a.py") == [
        "a.py: let_go, better release", "a.py: passed over", "a.py: as they come",
    ]  # fmt: skip


def test_the_code_uses_the_terms_of_the_field() -> None:
    found = []
    count = 0
    for folder in ("lua", "t7shell", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".lua", ".py", ".c", ".h") and "objects" not in path.parts:
                found += findings(path, path.relative_to(ROOT).as_posix())
                count += 1
    assert count > 500 and not found, "\n".join(found)
