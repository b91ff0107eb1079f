"""A checkpoint survives a Ctrl-C at any line of its code."""

from __future__ import annotations

import itertools
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from t7shell.prompt import checkpoint
from t7shell.prompt.checkpoint import Checkpoint

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors in /proc")


def interrupt_at(number: int) -> Any:
    """Returns a tracer that raises KeyboardInterrupt before the `number`-th line run in checkpoint.py."""
    lines = itertools.count(1)
    process = os.getpid()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != checkpoint.__file__ or os.getpid() != process:
            return None
        if event == "line" and next(lines) == number:
            raise KeyboardInterrupt
        return trace

    return trace


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.filterwarnings("ignore:Exception ignored in.*lift:pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_between_any_two_lines() -> None:
    saved, before = Checkpoint(), descriptors()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    for number in itertools.count(1):
        sys.settrace(interrupt_at(number))
        try:
            saved.take()
            saved.release()
        except KeyboardInterrupt:
            interrupted = True
        else:
            interrupted = False
        finally:
            sys.settrace(None)
        assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == mask, number
        assert not saved.take() and saved.taken
        saved.release()
        assert descriptors() == before, number
        if not interrupted:
            break
    assert number > 20
