"""The queues of `ipc.workqueue` by their names, which all Lua states of the process share."""

from __future__ import annotations

import threading
from itertools import count as counting

_lock = threading.Lock()
_states = counting(1)


class _Entry:
    """The state that made a pair of queues, the ids of both, and how many objects there are for them."""

    def __init__(self, owner: float, questions: float, answers: float) -> None:
        self.owner, self.questions, self.answers, self.users = owner, questions, answers, 0


_entries: dict[str, _Entry] = {}


def workqueue_state() -> int:
    """A number for a state, which no other one has."""
    return next(_states)


def workqueue_open(
    name: str, state: float, questions: float | None = None, answers: float | None = None
) -> tuple[float, float, float] | None:
    """Adds a user to the queues of a name: (the state that made them, questions, answers).

    Where there are none, those given are entered; None where none are given.
    """
    with _lock:
        entry = _entries.get(name)
        if entry is None:
            if questions is None or answers is None:
                return None
            entry = _entries[name] = _Entry(state, questions, answers)
        entry.users += 1
        return entry.owner, entry.questions, entry.answers


def workqueue_close(name: str) -> tuple[float, float] | None:
    """Takes a user away; returns the ids of queues that have none any more, and no name."""
    with _lock:
        entry = _entries[name]
        entry.users -= 1
        if entry.users:
            return None
        del _entries[name]
        return entry.questions, entry.answers
