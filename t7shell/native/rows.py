"""Finds the element-wise programs in the Lua sources: string constants, or concatenations of them.

A program is a sequence of assignments, `a = tanh(x); z = a * a * y`, of which the last one gives z; see the
top of lua/torch/kernels/elementwise/fused.lua. The generator, programs.py, loads this while the package is
built: nothing but the standard library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

REAL = ("Float", "Double")
INTEGER = ("Byte", "Char", "Short", "Int", "Long")
# In the order of torch.base.types.
NAMES = ("Double", "Float", "Long", "Byte", "Int", "Char", "Short")

# Registers of tensors, in the order of operands, and of scalars.
TENSORS, NUMBERS = "qxywr", "vuts"

# Functions that are operators.
ARITHMETIC = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
COMPARISONS = {
    "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "~=",
}
_OPERATORS = {**ARITHMETIC, **COMPARISONS, "power": "^"}
_FUNCTIONS = {sign: function for function, sign in _OPERATORS.items()}

# The number of operands of functions: of all types, and of real and integer types alone.
ARITIES = {
    **dict.fromkeys((*ARITHMETIC, *COMPARISONS, "power", "fmod", "maximum", "minimum"), 2),
    **dict.fromkeys(("absolute", "sign", "positive"), 1),
    "select": 3,
}
REAL_ARITIES = {
    **dict.fromkeys(("exp", "exp2", "log", "log1p", "sigmoid", "tanh", "sinh", "cosh"), 1),
    **dict.fromkeys(("sin", "cos", "tan", "arcsin", "arccos", "arctan", "floor", "ceil", "trunc"), 1),
    **dict.fromkeys(("round", "sqrt", "gammaln"), 1),
    **dict.fromkeys(("fmax", "fmin", "arctan2"), 2),
    "residual": 3,
}
INTEGER_ARITIES = dict.fromkeys(
    ("remainder", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"), 2
)

_TOKEN = re.compile(r"\s*([0-9][0-9.]*(?:e-?[0-9]+)?|[a-z_][a-z_0-9]*|[<>=~]=|[-+*/^<>(),])")
_ASSIGNMENT = re.compile(r"([a-z]) = (.+)")
_TEXT = r"'[^'\n\\]*'"
_CONCATENATION = re.compile(rf"(?:{_TEXT}|\b[A-Za-z]\w*\b)(?:\s*\.\.\s*(?:{_TEXT}|\b[A-Za-z]\w*\b))*")
_LOCAL = re.compile(rf"\blocal (\w+) = ({_TEXT}(?:\s*\.\.\s*(?:{_TEXT}|\w+))*)")

Step = tuple[str, str, list[str]]


class _Parser:
    """A recursive-descent parser of an expression into steps, the inner ones first.

    Temporary registers are a1, a2 and so on, and q1, q2 and so on for comparisons.
    """

    def __init__(self, text: str, steps: list[Step]) -> None:
        self.tokens, self.steps, at = [], steps, 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            if not token:
                raise ValueError(text)
            self.tokens.append(token[1])
            at = token.end()

    def take(self, *tokens: str) -> str:
        """The next token if it is one of these, else nothing."""
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in tokens else ""

    def step(self, function: str, *operands: str) -> str:
        register = f"{'q' if function in COMPARISONS else 'a'}{len(self.steps) + 1}"
        self.steps.append((register, function, list(operands)))
        return register

    def comparison(self) -> str:
        left = self.sum()
        sign = self.take(*COMPARISONS.values())
        return self.step(_FUNCTIONS[sign], left, self.sum()) if sign else left

    def sum(self) -> str:
        left = self.product()
        while sign := self.take("+", "-"):
            left = self.step(_FUNCTIONS[sign], left, self.product())
        return left

    def product(self) -> str:
        left = self.factor()
        while sign := self.take("*", "/"):
            left = self.step(_FUNCTIONS[sign], left, self.factor())
        return left

    def factor(self) -> str:
        if self.take("-"):
            operand = self.factor()
            return f"-{operand}" if operand[0].isdigit() else self.step("multiply", operand, "-1")
        base = self.atom()
        return self.step("power", base, self.factor()) if self.take("^") else base

    def atom(self) -> str:
        token = self.tokens.pop(0) if self.tokens else ""
        if token == "(":
            value = self.comparison()
        elif token[:1].isalnum() and not self.take("("):
            return token
        elif token[:1].isalpha():
            operands = [self.comparison()]
            while self.take(","):
                operands.append(self.comparison())
            value = self.step("select" if token == "where" else token, *operands)
        else:
            raise ValueError(token)
        if not self.take(")"):
            raise ValueError(token)
        return value


def parse(text: str) -> list[Step]:
    """The steps of a program; its functions may be unknown. Raises ValueError."""
    steps: list[Step] = []
    for part in text.removeprefix("wide; ").split("; "):
        assignment = _ASSIGNMENT.fullmatch(part)
        if not assignment:
            raise ValueError(part)
        parser, before = _Parser(assignment[2], steps), len(steps)
        value = parser.comparison()
        if parser.tokens:
            raise ValueError(part)
        function, operands = ("positive", [value]) if len(steps) == before else steps.pop()[1:]
        steps.append((assignment[1], function, operands))
    return steps


def steps_of(text: str) -> list[Step] | None:
    """The steps of a program: register, function and operands. None if the text is not a program."""
    try:
        found = parse(text)
    except ValueError:
        return None
    known = set(TENSORS[1:] + NUMBERS)
    selector = next((operands[0] for _, function, operands in found if function == "select"), "")
    for i, (to, function, operands) in enumerate(found):
        arity = ARITIES.get(function) or REAL_ARITIES.get(function) or INTEGER_ARITIES.get(function)
        # The selector of bytes, q, may be an operand of the call.
        allowed = known | {"q"} if function == "select" and selector == "q" else known
        if arity != len(operands) or any(o[0].isalpha() and o not in allowed for o in operands):
            return None
        known.add(to)
        if (to == "z") != (i == len(found) - 1):
            return None
    return found


def is_program(text: str) -> bool:
    return steps_of(text) is not None


def types_of(text: str, in_torch: bool) -> list[str]:
    """The types that a program is compiled for: integers only for programs of torch itself."""
    functions = [function for _, function, _ in steps_of(text) or []]
    types = list(REAL) if all(f in ARITIES or f in REAL_ARITIES for f in functions) else []
    if (
        in_torch
        and all(f in ARITIES or f in INTEGER_ARITIES for f in functions)
        and not re.search(r"[0-9]\.|\de", text)
    ):
        types += INTEGER
    return types


def _texts(source: str) -> Iterator[str]:
    """The string constants of a file, and concatenations of them and of constant locals."""
    constants: dict[str, str] = {}

    def value(expression: str) -> str | None:
        parts = re.findall(rf"{_TEXT}|\w+", expression)
        values = [part[1:-1] if part[0] == "'" else constants.get(part) for part in parts]
        return None if None in values else "".join(str(v) for v in values)

    for name, expression in _LOCAL.findall(source):
        text = value(expression)
        if text is not None:
            constants[name] = text
    for match in _CONCATENATION.finditer(source):
        text = value(match.group())
        if text is not None:
            yield text


def call(function: str, operands: list[str]) -> str:
    """The expression of a step."""
    if function in _OPERATORS:
        return f"{operands[0]} {_OPERATORS[function]} {operands[1]}"
    return f"{function}({', '.join(operands)})"


def primitives() -> Iterator[tuple[str, list[str]]]:
    """Programs of one step: comparisons, and the steps of programs that are defined at run time."""
    by_types = ((ARITIES, [*REAL, *INTEGER]), (REAL_ARITIES, [*REAL]), (INTEGER_ARITIES, [*INTEGER]))
    for functions, types in by_types:
        for name, arity in functions.items():
            if name == "select":
                yield "z = where(q, x, y)", types
                continue
            for operands in (["x"], ["x", "y"], ["x", "v"], ["x", "y", "w"]):
                if len(operands) != arity:
                    continue
                value = call(name, operands)
                yield f"z = {value}", types
                if name in COMPARISONS:
                    yield f"z = where({value}, 1, 0)", types


def programs(lua: Path) -> dict[str, list[str]]:
    """Programs and the types that they are compiled for."""
    found: dict[str, set[str]] = {}
    for path in sorted(lua.rglob("*.lua")):
        source = re.sub(r"--[^\n]*", "", path.read_text(encoding="utf-8"))
        in_torch = path.relative_to(lua).parts[0] == "torch"
        for text in _texts(source):
            if is_program(text):
                found.setdefault(text, set()).update(types_of(text, in_torch))
    for text, types in primitives():
        found.setdefault(text, set()).update(types)
    return {text: [t for t in (*REAL, *INTEGER) if t in types] for text, types in sorted(found.items())}
