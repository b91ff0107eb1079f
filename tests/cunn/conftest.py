"""The tests of this folder run on each backend."""

from ..backends import backend, engine, fresh_lua  # noqa: F401
