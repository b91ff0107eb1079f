"""The mouse in windows while the prompt waits for an input."""

from __future__ import annotations

import sys

import pytest

from tests.terminal import Terminal
from tests.x_server import Hands, missing_input, pixels, wait_for, x_server

COMMAND = [sys.executable, "-m", "t7shell", "--show=window", "--no-init"]
CONNECT = """qt.connect(win.listener, 'sigMousePress(int,int)', function(x, y) print('at ' .. x + y) end)
print('li' .. 'stens')""".replace("\n", " ")


@pytest.mark.skipif(bool(missing_input()), reason=f"needs {missing_input()}")
def test_functions_are_called_while_the_prompt_waits() -> None:
    with x_server() as display:
        env = {"TERM": "xterm", "T7_HISTORY": "", "DISPLAY": display, "COLUMNS": "100", "LINES": "24"}
        terminal = Terminal(COMMAND, env)
        try:
            terminal.expect("t7>")
            terminal.type("require 'qtwidget'; win = qtwidget.newwindow(200, 100)\r")
            assert wait_for(lambda: int((pixels(display) == 255).all(2).sum()) == 200 * 100)
            terminal.type(CONNECT + "\r")
            terminal.expect("listens")
            terminal.type("y = 20 +")
            hands = Hands(display)
            hands.move(30, 40)
            assert hands.click_until(lambda: "at 70" in terminal.read())
            # The input goes on where it was.
            terminal.type(" 5\r")
            terminal.type("y\r")
            terminal.expect("25")
            terminal.type(CONNECT.replace("print('at '", "error('wr' .. 'ong'") + "\r")
            terminal.expect("listens")
            assert hands.click_until(lambda: "wrong70" in terminal.read())
            hands.close()
            terminal.type("\x04")
            assert terminal.status() == 0
        finally:
            terminal.close()
