"""Element-wise programs of the rows, as functions on tensors of PyTorch.

`lua/torch/kernels/elementwise/fused.lua` describes the language. A program becomes a Python function of the
result and the operands.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from t7shell.native.rows import parse
from t7shell.packages.cutorch.device import device, out_of_memory

# Functions of PyTorch by the names of NumPy's loops; those of two operands take a number as the second.
_SAME_NAMES = (
    "add fmod remainder sqrt rsqrt exp exp2 expm1 log log1p sigmoid sin cos tan sinh cosh tanh floor ceil "
    "trunc square positive maximum minimum fmax fmin"
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


def _is_number(operand: str, tensors: set[str]) -> bool:
    return operand not in tensors


def _step(name: str, operands: list[str], tensors: set[str], out: str | None) -> str | None:
    """A call, as Python source; None if PyTorch has no such function."""
    ending = f", out={out}" if out else ""
    if name == "sign":
        return f"torch.sign({operands[0]}{ending})"
    if name in ("cube", "round"):
        return f"{out}.copy_({name}({operands[0]}))" if out else f"{name}({operands[0]})"
    if name == "select":
        q, first, second = operands
        first = f"scalar({q}, {first})" if _is_number(first, tensors) else first
        chosen = f"torch.where({q} != 0, {first}, {second})"
        return f"{out}.copy_({chosen})" if out else chosen
    if name == "residual":
        x, y, a = operands
        if _is_number(y, tensors):
            y = f"scalar({x}, {y}).double()"
        residual = f"({x}.double() - {y} * {a}.double()).to({x}.dtype)"
        return f"{out}.copy_({residual})" if out else residual
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
            # The second operand is a tensor; otherwise the program would be a number.
            first = f"scalar({second}, {first})"
        return f"torch.{function}({first}, {second}{ending})"
    if name == "positive":
        # PyTorch's function returns the operand itself.
        return f"{out}.copy_({operands[0]})" if out else f"{operands[0]}.clone()"
    return f"torch.{function}({operands[0]}{ending})"


def cube(x: torch.Tensor) -> torch.Tensor:
    return x * x * x


def rounded(x: torch.Tensor) -> torch.Tensor:
    """The nearest integers; halves are rounded away from zero."""
    whole = torch.trunc(x)
    return torch.copysign(whole.abs() + ((x - whole).abs() >= 0.5), x)


def scalar(like: torch.Tensor, value: float) -> torch.Tensor:
    """A tensor without dimensions beside another one; numbers out of range are infinite."""
    return torch.full((), value, dtype=torch.float64, device=like.device).to(like.dtype)


def _line(to: str, name: str, operands: list[str], tensors: set[str], keeps: bool) -> str | None:
    """A step as a line of Python; None if PyTorch lacks it. `keeps`: the result is written to z."""
    in_place = to == "z" and keeps
    call = _step(name, operands, tensors, "z" if in_place else None)
    # Comparisons count as numbers.
    ending = f".to({'z' if keeps else 'x'}.dtype)" if to[0] == "q" else ""
    return call and (call if in_place else f"{to} = {call}{ending}")


def _source(text: str, parameters: str, keeps: bool) -> str | None:
    tensors = set("xyw")
    lines = [f"def run({'z, ' if keeps else ''}{', '.join(parameters)}, *_):", "    try:"]
    for to, name, given in parse(text):
        line = _line(to, name, given, tensors, keeps)
        if line is None:
            return None
        lines.append(f"        {line}")
        tensors.add(to)
    operands = ", ".join(name for name in parameters if name in "xyw")
    done = "True" if keeps else "z if z.dtype is x.dtype and z.is_contiguous() else settled(z, x)"
    lines += [f"        return {done}", "    except RuntimeError as reason:"]
    return "\n".join([*lines, f"        return fallback(reason, {operands})"])


def _settled(z: torch.Tensor, x: torch.Tensor) -> torch.Tensor | bool:
    """A result of the type of x, contiguous; False if PyTorch made another type of it."""
    if z.dtype is torch.bool:
        z = z.to(x.dtype)
    return z.contiguous() if z.dtype is x.dtype else False


def _settled_bytes(z: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
    """The result of a comparison as bytes."""
    return z.contiguous().view(torch.uint8)


def fallback(reason: RuntimeError, *operands: object) -> bool | str:
    """False, by which the caller turns to the CPU; a message where the device has too little memory."""
    if not out_of_memory(reason):
        return False
    sizes = " ".join(str(list(x.shape)) for x in operands if isinstance(x, torch.Tensor))
    return f"out of memory on {device()} with operands {sizes}: {str(reason).splitlines()[0]}"


@cache
def program(text: str, parameters: str) -> Callable[..., bool | str] | None:
    """f(result, operand, ...) of a program, its operands in the order of `parameters`, such as 'xvy'.

    It returns False if PyTorch rejects the operands, a message if memory is short. None if PyTorch
    lacks a step of the program.
    """
    run: Callable[..., bool | str] | None = _compiled(text, parameters, True, _settled)
    return run


@cache
def new_program(text: str, parameters: str, as_bytes: bool) -> Any:
    """The same as f(operand, ...), which returns a new contiguous tensor: of x's type, or bytes."""
    return _compiled(text, parameters, False, _settled_bytes if as_bytes else _settled)


def _widened(text: str, parameters: str, keeps: bool, settled: Callable[..., Any]) -> Any:
    """A program that computes in doubles, and rounds its result once."""
    wide = _compiled(text, parameters, False, _settled)
    if wide is None:
        return None

    def run(*given: Any) -> Any:
        operands = given[1:] if keeps else given
        tensors = [x for x in operands if isinstance(x, torch.Tensor)]
        try:
            done = wide(*[x.double() if isinstance(x, torch.Tensor) else x for x in operands])
            if not isinstance(done, torch.Tensor):
                return done
            if keeps:
                given[0].copy_(done)
                return True
            return settled(done.to(tensors[0].dtype), tensors[0])
        except RuntimeError as reason:
            return fallback(reason, *tensors)

    return run


def _compiled(text: str, parameters: str, keeps: bool, settled: Callable[..., Any]) -> Any:
    if text.startswith("wide; "):
        return _widened(text.removeprefix("wide; "), parameters, keeps, settled)
    source = _source(text, parameters, keeps)
    if source is None:
        return None
    space: dict[str, Any] = {"torch": torch, "inf": math.inf, "settled": settled}
    space |= {"scalar": scalar, "fallback": fallback, "cube": cube, "round": rounded}
    exec(compile(source, f"<{text}>", "exec"), space)
    return space["run"]
