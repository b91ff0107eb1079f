"""The device that PyTorch computes on: its choice, buffers, and views of them.

One device computes for a process; `open_device` chooses it. A buffer is a contiguous `torch.Tensor`, a view
one of any sizes on the same memory. Addresses are those of blocks of the host, `count` elements long.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from t7shell.core import process
from t7shell.core.memory import vector

_device = torch.device("cpu")


def device() -> torch.device:
    """The device in use."""
    return _device


def open_device(name: str) -> str | None:
    """Chooses the device of a name such as 'cuda:0', 'mps' or 'cpu'; a message where it cannot compute."""
    global _device
    try:
        chosen = torch.device(name)
        torch.zeros(1, device=chosen).item()
    except (RuntimeError, AssertionError) as reason:
        return str(reason).splitlines()[0]
    _device = chosen
    process.holds_gpu = chosen.type != "cpu"
    if chosen.type == "cpu":
        # The answer must not depend on the cores there are, and a prompt forks.
        torch.set_num_threads(1)
    return None


def best_device() -> str | None:
    """The name of the first GPU there is."""
    if torch.cuda.is_available():
        return "cuda:0"
    if torch.backends.mps.is_available():
        return "mps"
    return None


def device_count() -> float:
    """The number of devices of the kind in use."""
    return float(torch.cuda.device_count()) if _device.type == "cuda" else 1.0


def device_name() -> str:
    """The name of the device in use, as its maker has it."""
    return torch.cuda.get_device_name(_device) if _device.type == "cuda" else f"PyTorch {_device}"


def device_memory() -> tuple[float, float] | None:
    """Free and total bytes of a GPU; None where the memory is that of the machine."""
    if _device.type != "cuda":
        return None
    free, total = torch.cuda.mem_get_info(_device)
    return float(free), float(total)


def synchronize() -> None:
    """Waits for all work of the device."""
    if _device.type == "cuda":
        torch.cuda.synchronize(_device)
    elif _device.type == "mps":
        torch.mps.synchronize()


def seed(value: int) -> None:
    """Seeds the random numbers of the device."""
    torch.manual_seed(int(value) % 2**63)


def time_algorithms(wanted: bool) -> None:
    """Has cuDNN time its algorithms for sizes that are new to it, and take the fastest."""
    torch.backends.cudnn.benchmark = bool(wanted)


def generator_state() -> bytes:
    """Where the random numbers of the device are."""
    state = torch.cuda.get_rng_state(_device) if _device.type == "cuda" else _others().get_rng_state()
    return bytes(state.tolist())


def set_generator_state(state: str) -> None:
    """Goes back to a state of `generator_state`, as a string of Latin-1."""
    numbers = torch.tensor(list(state.encode("latin-1")), dtype=torch.uint8)
    if _device.type == "cuda":
        torch.cuda.set_rng_state(numbers, _device)
    else:
        _others().set_rng_state(numbers)


def _others() -> Any:
    return torch.mps if _device.type == "mps" else torch


def out_of_memory(reason: BaseException) -> bool:
    """Whether an exception says that the device has too little memory."""
    return isinstance(reason, torch.OutOfMemoryError) or any(
        words in str(reason) for words in ("not enough memory", "can't allocate memory", "out of memory")
    )


def buffer(dtype: str, *sizes: int) -> torch.Tensor | str | None:
    """A new buffer, as a contiguous tensor of some sizes.

    A message where memory is short, None where the device has no such elements.
    """
    try:
        return torch.empty(sizes, dtype=getattr(torch, dtype), device=_device)
    except (RuntimeError, TypeError) as reason:
        if not out_of_memory(reason):
            return None
    size = math.prod(sizes) * np.dtype(dtype).itemsize
    shape = "x".join(str(length) for length in sizes)
    return f"out of memory: cannot allocate {size} bytes for [{shape}] elements on {_device}"


def upload(target: torch.Tensor, address: int, count: int, dtype: str) -> None:
    """Copies `count` elements at an address to the start of a buffer."""
    target.view(-1)[: int(count)].copy_(_on_host(address, count, dtype))


def download(source: torch.Tensor, address: int, count: int, dtype: str) -> None:
    """Copies the first `count` elements of a buffer to an address, when the work before is done."""
    _on_host(address, count, dtype).copy_(source.view(-1)[: int(count)])


def _on_host(address: int, count: int, dtype: str) -> torch.Tensor:
    return torch.from_numpy(vector(int(address), dtype, int(count), np.dtype(dtype).itemsize))


def view(source: torch.Tensor, offset: int, dim: int, *geometry: int) -> torch.Tensor:
    """A view of a buffer: `dim` sizes and `dim` strides, in elements, which the caller has checked."""
    numbers = [int(number) for number in geometry]
    return source.as_strided(numbers[: int(dim)], numbers[int(dim) :], int(offset))


def element(source: torch.Tensor, position: int) -> float:
    """The element at a position from 0."""
    return float(source.view(-1)[int(position)].item())


def set_element(target: torch.Tensor, position: int, value: float) -> None:
    """Sets the element at a position from 0."""
    target.view(-1)[int(position)] = value
