"""Starts the prompt: settings, terminal, Ctrl-C and the user's start-up file."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from t7shell.engine import config, process, user_dirs
from t7shell.engine.engine import Engine
from t7shell.engine.interrupt import LuaInterrupter, begin_input, waiting
from t7shell.host import encoding
from t7shell.host.failures import of_system
from t7shell.host.screen import Colors
from t7shell.prompt import checkpoint
from t7shell.prompt.inputs import InputSource, PlainInput
from t7shell.prompt.interpreter import prompt_of
from t7shell.prompt.progress import Progress
from t7shell.prompt.session import Session

if TYPE_CHECKING:
    from t7shell.engine.interrupt import Watcher


def start(
    engine: Engine, watcher: Watcher, use_init: bool = True, dialect: str | None = None, plain: bool = False
) -> None:
    """Runs the prompt on the terminal, or line by line without one that supports editing.

    Without `use_init` neither the settings nor the start-up file of the user are read. A `dialect` of the
    command line has precedence over that of the settings. With `plain` lines cannot be edited.
    """
    process.prepare_prompt()
    settings = _settings() if use_init else config.Config()
    if dialect is None and settings.dialect != engine.dialect:
        engine.set_dialect(settings.dialect)
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    source: InputSource
    if on_terminal and not plain and os.environ.get("TERM") != "dumb":
        from t7shell.prompt.terminal import TerminalInput

        source = TerminalInput(prompt_of(engine.dialect), engine, settings)
    else:
        source = PlainInput(prompt_of(engine.dialect), engine)
    session = Session(engine, source)
    session.can_go_back = on_terminal and checkpoint.available()
    session.colors = Colors(settings.colors)
    session.numbers = settings.numbers
    session.set_checkpoint(session.can_go_back and settings.checkpoint)
    if settings.progress and on_terminal and os.environ.get("TERM") not in ("dumb", "linux"):
        session.progress = Progress()
    if not settings.progress:
        engine.helper("torch.base.progress").disable()
    session.interrupter = LuaInterrupter(engine.lua, watcher, session.give_up, session.explain)
    engine.guard = session.interrupter
    begin_input()
    if use_init and os.path.exists(user_dirs.init_file()):
        try:
            session.run_file(user_dirs.init_file(), [])
        except OSError as reason:
            encoding.write(f"t7: {of_system(reason)}\n")
        except KeyboardInterrupt:
            _tell_interrupted(user_dirs.init_file())
    session.run()


def _settings() -> config.Config:
    try:
        with waiting():
            return config.read()
    except KeyboardInterrupt:
        _tell_interrupted(user_dirs.config_file())
    except config.ConfigError as mistake:
        encoding.write("".join(f"t7: {line}\n" for line in str(mistake).split("\n")))
    return config.Config()


def _tell_interrupted(path: str) -> None:
    encoding.write(f"t7: {path}: interrupted\n")
    begin_input()
