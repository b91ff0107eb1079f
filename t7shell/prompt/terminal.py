"""Inputs edited on a terminal, with history, completion and colours."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.eventloop.inputhook import InputHookContext
from prompt_toolkit.filters import Always, Condition
from prompt_toolkit.formatted_text import AnyFormattedText
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout.processors import HighlightMatchingBracketProcessor, TabsProcessor
from prompt_toolkit.output import ColorDepth

from t7shell.engine.config import Config
from t7shell.engine.engine import Engine
from t7shell.engine.interrupt import is_pending, waiting
from t7shell.engine.user_dirs import history_file
from t7shell.host import encoding
from t7shell.host.screen import colors_wanted
from t7shell.prompt.completion import LuaCompleter, signature
from t7shell.prompt.inputs import CONTINUATION
from t7shell.prompt.large_inputs import Excerpt, HistorySuggestions, SmallInputs
from t7shell.prompt.lexer import lua_lexer, style

INDENT = "   "
_OPENS = re.compile(r"(?:\b(?:do|then|else|repeat)|[({]|\bfunction\b[^()]*\([^()]*\))\s*(?:--.*)?$")

_CLOSES = re.compile(r"\s+(?:(?:end|else|elseif|until)\b|[})])")


class _KeptHistory(FileHistory):
    """Inputs in a file, or in memory alone while it cannot be written."""

    def load_history_strings(self) -> Iterable[str]:
        with suppress(OSError):
            return super().load_history_strings()
        return []

    def store_string(self, string: str) -> None:
        with suppress(OSError):
            super().store_string(encoding.valid(string))


def _history() -> History:
    name = history_file()
    if name is None:
        return InMemoryHistory()
    try:
        os.makedirs(os.path.dirname(name), exist_ok=True)
        # Other users must not read the history.
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)
        descriptor = os.open(name, flags, 0o600)
        # Pipes and devices would be read without end.
        is_regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        os.close(descriptor)
        return _KeptHistory(name) if is_regular else InMemoryHistory()
    except OSError:
        return InMemoryHistory()


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def dedented(line: str, before: str) -> str:
    """A line that closes a block, aligned with the line that opened it, as the line before shows."""
    if not _CLOSES.match(line):
        return line
    margin = _margin(before)
    if not _OPENS.search(before):
        margin = margin[: -len(INDENT)]
    return margin + line.lstrip() if len(margin) < len(_margin(line)) else line


def given_up(before: str) -> bool:
    """Tells whether an incomplete input ends in two blank lines, after which Enter evaluates it."""
    lines = before.split("\n")
    return len(lines) > 2 and not any(line.strip() for line in lines[-2:])


def _margin_follows(event: KeyPressEvent) -> bool:
    """Tells whether a blank has come with this key, as in a paste that the terminal does not mark."""
    following = event.key_processor.input_queue
    return bool(following) and following[0].key in (" ", Keys.Tab)


def _margin_of_row(width: int, row: int, wrapped: int) -> str:
    # Wrapped lines have no prompt.
    return " " * len(CONTINUATION) if wrapped else CONTINUATION


class TerminalInput:
    """Lines edited by prompt_toolkit.

    Enter ends an input that is finished, or that has two blank lines at its end, and begins a new line in one
    that is not; Alt-Enter always begins a new line. Pasted lines are one input.
    """

    def __init__(self, prompt: str, engine: Engine, config: Config) -> None:
        self.prompt = prompt
        # The text with which the next input begins.
        self._offered = ""
        self._engine = engine
        self._is_finished: Callable[[str], bool] = lambda _: True
        colored = colors_wanted(config.colors)
        self.session: PromptSession[str] = PromptSession(
            history=_history(),
            lexer=SmallInputs(lua_lexer()) if colored else None,
            style=style(config.colors) if colored else None,
            color_depth=None if colored else ColorDepth.DEPTH_1_BIT,
            include_default_pygments_style=False,
            multiline=True,
            prompt_continuation=_margin_of_row,
            key_bindings=self._keys(),
            completer=LuaCompleter(engine),
            complete_while_typing=config.complete,
            auto_suggest=HistorySuggestions() if config.suggest else None,
            input_processors=[
                Excerpt(),
                HighlightMatchingBracketProcessor(chars="[](){}"),
                TabsProcessor(char1=" ", char2=" "),
            ],
            bottom_toolbar=self._toolbar if config.signature else None,
            editing_mode=EditingMode.VI if config.keys == "vi" else EditingMode.EMACS,
            enable_open_in_editor=True,
            enable_suspend=True,
            tempfile_suffix=".lua",
            reserve_space_for_menu=5,
        )
        # The setting of that name of the session would end completion while typing.
        self.session.default_buffer.enable_history_search = Always()

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @Condition
        def finished() -> bool:
            return self._is_finished(self.session.default_buffer.text)

        @Condition
        def editing_input() -> bool:
            return get_app().current_buffer is self.session.default_buffer

        @keys.add("enter", filter=editing_input & finished)
        def accept(event: KeyPressEvent) -> None:
            self._dedent(event.current_buffer)
            event.current_buffer.validate_and_handle()

        @keys.add("enter", filter=editing_input & ~finished)
        def continue_line(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            if not self._dedent(buffer) or _margin_follows(event):
                buffer.insert_text("\n")
                return
            if buffer.document.is_cursor_at_the_end and given_up(buffer.text):
                buffer.validate_and_handle()
                return
            line = buffer.document.current_line_before_cursor
            buffer.insert_text("\n" + _margin(line) + (INDENT if _OPENS.search(line) else ""))

        @keys.add("escape", "enter", filter=editing_input)
        def new_line(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        self._add_menu_keys(keys, editing_input)
        return keys

    def _dedent(self, buffer: Buffer) -> bool:
        """Aligns a line that closes a block with the one that opened it; false within a string."""
        document = buffer.document
        in_string = self._engine.helper("shell.lexer").in_string
        if self._engine.try_call(in_string, encoding.to_bytes(document.text_before_cursor)):
            return False
        line, row = document.current_line_before_cursor, document.cursor_position_row
        moved = dedented(line, document.lines[row - 1] if row else "")
        if moved != line:
            buffer.delete_before_cursor(len(line))
            buffer.insert_text(moved, fire_event=False)
        return True

    def _add_menu_keys(self, keys: KeyBindings, editing_input: Condition) -> None:
        """Keys while completions are shown."""

        @Condition
        def only_one() -> bool:
            state = self.session.default_buffer.complete_state
            return state is not None and len(state.completions) == 1

        @Condition
        def shown() -> bool:
            return self.session.default_buffer.complete_state is not None

        @Condition
        def chosen() -> bool:
            state = self.session.default_buffer.complete_state
            return state is not None and state.complete_index is not None

        @keys.add("tab", filter=editing_input & only_one)
        def take(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            if buffer.complete_state:
                buffer.apply_completion(buffer.complete_state.completions[0])

        @keys.add("enter", filter=editing_input & chosen)
        def keep_chosen(event: KeyPressEvent) -> None:
            event.current_buffer.complete_state = None

        # An automatic menu leaves Up and Down to the history.
        @keys.add("up", filter=editing_input & shown & ~chosen)
        def up(event: KeyPressEvent) -> None:
            event.current_buffer.cancel_completion()
            event.current_buffer.auto_up()

        @keys.add("down", filter=editing_input & shown & ~chosen)
        def down(event: KeyPressEvent) -> None:
            event.current_buffer.cancel_completion()
            event.current_buffer.auto_down()

    def _toolbar(self) -> AnyFormattedText:
        shown = signature(self._engine, self.session.default_buffer.document)
        width = get_app().output.get_size().columns
        return shown if len(shown) <= width else shown[: width - 3] + "..."

    def _begin_line(self) -> None:
        """Moves the prompt to the next line if output ended within a line.

        A line of blanks reaches the next line unless it begins in the first column.
        """
        output = self.session.output
        output.write_raw(" " * output.get_size().columns + "\r")
        output.flush()

    def read(self, is_finished: Callable[[str], bool]) -> str:
        self._is_finished = is_finished
        self._begin_line()
        hook = self._serve_windows if self._engine.window_events() else None
        offered, self._offered = self._offered, ""
        with waiting(self._discard):
            return self.session.prompt(
                [("class:prompt", self.prompt)],
                default=offered,
                handle_sigint=False,
                inputhook=hook,
                pre_run=self._discard_if_pending,
            )

    def _is_editing(self) -> bool:
        future = self.session.app.future
        return future is not None and not future.done()

    def _discard(self) -> bool:
        """Discards the edited input at a signal, which Ctrl-C does not send there; false if there is none."""
        app = self.session.app
        if app.loop is None or not self._is_editing():
            return False

        def leave() -> None:
            if self._is_editing():
                app.exit(exception=KeyboardInterrupt(), style="class:aborting")

        app.loop.call_soon_threadsafe(leave)
        return True

    def _discard_if_pending(self) -> None:
        """Takes a Ctrl-C that came before the terminal was in raw mode: it is not for the next input."""
        if is_pending():
            self._discard()

    def offer(self, text: str) -> bool:
        self._offered = text
        return True

    def _serve_windows(self, context: InputHookContext) -> None:
        """Calls the functions of windows and timers until a key is typed; they print above the line."""
        events = self._engine.window_events()
        while events and not context.input_is_ready():
            if not self._engine.try_call(events.expects):
                continue
            app = get_app()
            app.renderer.erase()
            result = self._engine.call(events.doevents)
            self._engine.end_input()
            self._engine.flush()
            if not result.ok:
                encoding.write(f"{result.report()}\n")
            app.renderer.reset()
            app.invalidate()
            return
