"""The queues of `ipc.workqueue` by their names, which all Lua states of the process share."""

from __future__ import annotations

import threading
from itertools import count as counting

_lock = threading.Lock()
_states = counting(1)


class _Entry:
    """The state that created a pair of queues, the ids of both, and the number of objects that use them."""

    def __init__(self, owner: float, questions: float, answers: float) -> None:
        self.owner, self.questions, self.answers, self.users = owner, questions, answers, 0


_entries: dict[str, _Entry] = {}


def workqueue_state() -> int:
    """A number for a state, which no other one has."""
    return next(_states)


def workqueue_open(
    name: str, state: float, questions: float | None = None, answers: float | None = None
) -> tuple[float, float, float] | None:
    """Adds a user to the queues of a name: (the state that created them, questions, answers).

    If there are none, the given ones are registered; None if none are given.
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
    """Removes a user; after the last one returns the ids of the queues, whose name is removed."""
    with _lock:
        entry = _entries[name]
        entry.users -= 1
        if entry.users:
            return None
        del _entries[name]
        return entry.questions, entry.answers
