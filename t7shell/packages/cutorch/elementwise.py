"""Element-wise programs of the rows, as functions on tensors of PyTorch.

`lua/torch/kernels/elementwise/fused.lua` describes the language: steps such as `a = multiply y v`; the last
writes `z`. A program becomes a Python function of the result and the operands.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from t7shell.packages.cutorch.device import out_of_memory

# Functions of PyTorch by the names of NumPy's loops; those of two operands take a number as the second.
_SAME_NAMES = (
    "add fmod remainder sqrt exp expm1 log log1p sin cos tan sinh cosh tanh floor ceil trunc square positive "
    "maximum minimum fmax fmin"
)
_FUNCTIONS: dict[str, str] = {name: name for name in _SAME_NAMES.split()} | {
    "subtract": "sub", "multiply": "mul", "divide": "true_divide", "power": "pow", "arctan2": "atan2",
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
    "equal": "eq", "not_equal": "ne",
    "absolute": "abs", "negative": "neg", "gammaln": "lgamma",
    "arcsin": "asin", "arccos": "acos", "arctan": "atan",
}  # fmt: skip

# With a number as the second operand, which these take as a tensor alone.
_BOUNDS = {"maximum": "clamp_min", "minimum": "clamp_max"}
_NEEDS_TENSOR = {"fmax", "fmin", "arctan2"}
# Results that PyTorch gives as tensors of any type, or without `out`.
_WITHOUT_OUT = {"positive"}


def _is_number(operand: str, tensors: set[str]) -> bool:
    return operand not in tensors


def _step(name: str, operands: list[str], tensors: set[str], out: str | None) -> str | None:
    """A call, as Python source; None where PyTorch has no such function."""
    ending = f", out={out}" if out else ""
    if name == "sign":
        return f"torch.sign({operands[0]}{ending})"
    function = _FUNCTIONS.get(name)
    if function is None:
        return None
    if len(operands) == 2:
        first, second = operands
        if _is_number(second, tensors):
            if name in _BOUNDS:
                function = _BOUNDS[name]
            elif name in _NEEDS_TENSOR:
                second = f"scalar({first}, {second})"
        if _is_number(first, tensors):
            # The second is a tensor: the program would be a number otherwise.
            first = f"scalar({second}, {first})"
        return f"torch.{function}({first}, {second}{ending})"
    if name in _WITHOUT_OUT and out:
        return f"{out}.copy_({operands[0]})"
    return f"torch.{function}({operands[0]}{ending})"


def _expression(work: str, to: str) -> str | None:
    """An expression of Lua as Python source: sums and products, or a quotient of integers; else None."""
    found = re.fullmatch(r"\(divide\((\w), (\w)\)\)", work)
    if found and to == "z":
        return f"torch.div({found[1]}, {found[2]}, rounding_mode='trunc', out=z)"
    if not re.fullmatch(r"[a-z0-9.+*() -]+", work) or re.search(r"[a-z]{2}", work):
        return None
    return f"z.copy_({work})" if to == "z" else f"{to} = {work}"


# Functions of the bits of elements as integers, `maximum:i` for instance; numbers are second operands.
_OF_BITS = {"maximum:i": "clamp_min", "bitwise_and:i": "bitwise_and", "bitwise_or:i": "bitwise_or"}


def _bit_step(name: str, operands: list[str], tensors: set[str], to: str) -> str | None:
    if name == "right_shift:u" and to == "z" and tensors.issuperset(operands):
        return f"z.copy_(shifted_out({operands[0]}, {operands[1]}))"
    function = _OF_BITS.get(name)
    if function is None:
        return None
    given = ", ".join(f"bits({operand})" if operand in tensors else operand for operand in operands)
    call = f"torch.{function}({given})"
    return f"z.copy_({call}.view(z.dtype))" if to == "z" else f"{to} = {call}"


def bits(x: torch.Tensor) -> torch.Tensor:
    """The bits of elements as integers of their size, on the same memory."""
    return x.view({2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()])


def shifted_out(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """`x` where `places` is 0, else 0: programs on floats shift by the bits of 0, -0 or NaN."""
    if not x.is_floating_point():
        raise RuntimeError("integers are shifted on the CPU")
    return torch.where(bits(places) == 0, x, 0)


def scalar(like: torch.Tensor, value: float) -> torch.Tensor:
    """A tensor without dimensions beside another one."""
    return torch.full((), value, dtype=like.dtype, device=like.device)


def _source(text: str, parameters: str) -> str | None:
    tensors = set("xywz")
    lines = [f"def run(z, {', '.join(parameters)}, *_):", "    try:"]
    steps = [step.strip() for step in text.split(";") if step.strip()]
    for step in steps:
        to, work = step.split(" = ", 1)
        if work.startswith("("):
            written = _expression(work, to)
            if written is None:
                return None
            lines.append(f"        {written}")
        else:
            name, *operands = work.split()
            if name.endswith((":i", ":u")):
                written = _bit_step(name, operands, tensors, to)
                if written is None:
                    return None
                lines.append(f"        {written}")
                tensors.add(to)
                continue
            call = _step(name, operands, tensors, "z" if to == "z" else None)
            if call is None:
                return None
            if to == "q":
                # Comparisons count as numbers.
                call += ".to(z.dtype)"
            lines.append(f"        {call}" if to == "z" else f"        {to} = {call}")
        tensors.add(to)
    lines += ["        return True", "    except RuntimeError as reason:", "        return refused(reason)"]
    return "\n".join(lines)


def refused(reason: RuntimeError) -> bool:
    """False, by which the caller turns to the CPU; too little memory is an error."""
    if out_of_memory(reason):
        raise MemoryError(str(reason).splitlines()[0]) from None
    return False


@cache
def program(text: str, parameters: str) -> Callable[..., bool] | None:
    """f(result, operand, ...) of a program, its operands in the order of `parameters`, such as 'xvy'.

    It returns False where PyTorch refuses the operands. None where PyTorch lacks a step of the program.
    """
    source = _source(text, parameters)
    if source is None:
        return None
    space: dict[str, Any] = {"torch": torch, "inf": math.inf}
    space |= {"bits": bits, "shifted_out": shifted_out, "scalar": scalar, "refused": refused}
    exec(compile(source, f"<{text}>", "exec"), space)
    run: Callable[..., bool] = space["run"]
    return run
