"""Typing at a terminal: completion, signatures, history, several lines, colours and keys."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.prompt_fixtures import COMMAND, CTRL_C, CTRL_R, RIGHT, TAB, UP, answer, open_prompt, paste
from tests.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")


@pytest.fixture(scope="module")
def shared() -> Iterator[Terminal]:
    terminal = open_prompt()
    terminal.type("x = torch.range(1, 6):resize(2, 3)\r")
    terminal.expect("t7>")
    yield terminal
    terminal.close()


def test_completions_show_while_typing(shared: Terminal) -> None:
    shared.type("x:isSameS")
    shared.expect("isSameSizeAs")
    shared.type(CTRL_C)
    shared.expect("t7>")


def test_dialects_are_completed(shared: Terminal) -> None:
    shared.type("%dialect mod")
    shared.expect("modern")
    shared.type(CTRL_C)
    shared.expect("t7>")


@pytest.mark.parametrize("presses", [1, 2])
def test_tab_takes_the_only_completion(shared: Terminal, presses: int) -> None:
    shared.type("x:nElem")
    shared.expect("nElement")
    for _ in range(presses):
        shared.type(TAB)
        shared.pause(0.1)
    answer(shared, "()", "6")


def test_up_reaches_earlier_inputs_while_completions_show(shared: Terminal) -> None:
    shared.type("recalled = (recalled or 40) + 1\r")
    shared.expect("t7>")
    shared.type("recal")
    # The line before has the word too: nothing tells when the menu is there.
    shared.pause(0.5)
    shared.type(UP)
    shared.pause(0.1)
    shared.type("\r")
    shared.expect("t7>")
    answer(shared, "recalled", "42")


@pytest.mark.slow
def test_up_finds_inputs_that_begin_like_this_one(shared: Terminal) -> None:
    for line in ("found = 11", "other = 22"):
        shared.type(line + "\r")
        shared.expect("t7>")
    shared.type("fou")
    # The history is read while one types: a key may come too early for it. There is one such input only.
    for _ in range(6):
        shared.pause(0.3)
        shared.type(UP)
    shared.type(" + 1\r")
    shared.expect("t7>")
    answer(shared, "found", "12")


def test_enter_keeps_a_completion_that_was_chosen(shared: Terminal) -> None:
    shared.type("x:storag")
    shared.expect("storageOffset")
    shared.type(TAB)
    shared.pause(0.1)
    shared.type("\r")
    shared.pause(0.1)
    answer(shared, "():size()", "6")


def test_two_blank_lines_end_an_unfinished_input(shared: Terminal) -> None:
    shared.type("x:size\r")
    shared.expect("..>")
    for _ in range(2):
        shared.pause(0.1)
        shared.type("\r")
    shared.expect("near '<eof>'")
    answer(shared, "2 + 5", "7")


def test_pasted_lines_that_are_no_program_run_one_by_one(shared: Terminal) -> None:
    paste(shared, "a = 20\na + 1\nfor i = 1, 2 do\n  a = a + i\nend\na\nb = a\n")
    shown = shared.expect("t7> b = a")
    assert "t7> a + 1\n21\nt7> for i = 1, 2 do" in shown and "t7> a\n23\n" in shown
    answer(shared, "b", "23")


def test_pasted_commands_run_one_by_one(shared: Terminal) -> None:
    paste(shared, "$ echo one\n%dialect\n?x\n$ echo t''wo\n")
    shown = shared.expect("\ntwo\n")
    assert "\none\n" in shown and "\nt7\n" in shown and "x is a torch.DoubleTensor of 2x3" in shown
    paste(shared, "%dialect\nsix = 5\nsix + 1\n")
    assert "\nt7\n" in shared.expect("\n6\n")


def test_commands_of_several_lines_stay_whole(shared: Terminal) -> None:
    paste(shared, "$ cat <<END\n$PPID\n%magic\nEND")
    assert "unknown" not in shared.expect("\n%magic\n")
    paste(shared, "%time text = [[\n$ echo never\n]]; #text")
    assert "\nnever" not in shared.expect("(CPU ")
    answer(shared, "text == '$ echo never\\n'", "true")


def test_local_variables_keep_lines_together(shared: Terminal) -> None:
    paste(shared, "local apart = 4\napart\nprint(apart)\n")
    shared.expect("'=' expected near 'print'")


def test_what_a_program_leaves_of_a_line_is_dropped(shared: Terminal) -> None:
    for question, line in (("read = io.read('*n')", "42 left = 1"), ("line = io.read()", "whole")):
        shared.type(question)
        shared.expect(question)
        shared.type("\r")
        shared.expect(f"t7> {question}")
        shared.pause(0.5)
        shared.type(line + "\r")
        shared.expect("t7>")
    answer(shared, "('%s %s %s'):format(read, line, left)", "42 whole nil")


def test_tab_escapes_blanks_in_names_of_files(tmp_path: Path) -> None:
    (tmp_path / "two words").mkdir()
    (tmp_path / "two words" / "in.txt").write_text("inside\n")
    terminal = open_prompt()
    terminal.type(f"$ cat {tmp_path}/two")
    terminal.expect("two words/")
    terminal.type(TAB + "in")
    terminal.expect("in.txt")
    terminal.type(TAB)
    terminal.pause(0.1)
    answer(terminal, "", "inside")
    terminal.close()


def test_signature_shows_inside_of_a_call(shared: Terminal) -> None:
    shared.type("x:narrow(1, ")
    shared.expect("x:narrow(dim, first, count)")
    shared.type(CTRL_C)
    shared.expect("t7>")
    shared.type("torch.add(")
    shared.expect("torch.add([res,] x, value)")
    shared.type(CTRL_C)
    shared.expect("t7>")


def test_completion_calls_nothing(shared: Terminal) -> None:
    spy = "calls = 0 spy = setmetatable({}, {__index = function() calls = calls + 1 end}); calls"
    answer(shared, spy, "0")
    # Ctrl-C between two prompts would discard the line before it is read.
    shared.pause(0.3)
    shared.type("spy.field.other" + TAB + CTRL_C)
    shared.expect("t7>")
    answer(shared, "calls", "0")


def test_lines_behind_an_open_block_are_indented(shared: Terminal) -> None:
    shared.type("for i = 8, 9 do\r")
    shared.expect("..>")
    shared.type("nothing.field = 1 end\r")
    shared.expect(" 2 |    nothing.field = 1 end\n")


def test_ends_of_blocks_move_back(shared: Terminal) -> None:
    for line in ("for i = 8, 9 do", "if i > 9 then", "print(i)", "end"):
        shared.type(line + "\r")
        shared.expect("..>")
        shared.pause(0.1)
    shared.type("nothing.field = 1 end\r")
    shared.expect(" 5 |    nothing.field = 1 end\n")


def test_the_last_end_moves_back(shared: Terminal) -> None:
    for line in ("function last_end()", "return 6"):
        shared.type(line + "\r")
        shared.expect("..>")
        shared.pause(0.1)
    shared.type("end\r")
    shared.expect("t7>")
    shared.type("??last_end\r")
    shared.expect("   return 6\nend\n")


def test_long_help_goes_through_the_pager() -> None:
    terminal = open_prompt(PAGER="sed s/^/paged:/")
    terminal.type("?torch\r")
    terminal.expect("paged:torch is a table")
    terminal.close()


def test_history_is_found_and_suggested(tmp_path: Path) -> None:
    history = str(tmp_path / "new" / "history")
    terminal = open_prompt(history=history)
    answer(terminal, "'apple' .. 1", "apple1")
    answer(terminal, "'pear' .. 2", "pear2")
    terminal.close()
    terminal = open_prompt(history=history)
    # What is suggested is taken by the right arrow.
    terminal.type("'ap")
    terminal.expect("ple' .. 1")
    answer(terminal, RIGHT, "apple1")
    # Keys that are typed before the next prompt would be the terminal's own.
    terminal.pause(0.3)
    terminal.type(CTRL_R + "pear")
    terminal.expect("'pear' .. 2")
    terminal.type("\r")
    terminal.pause(0.1)
    answer(terminal, "", "pear2")
    answer(terminal, UP, "pear2")
    terminal.close()


def test_a_history_that_cannot_be_written_ends_no_input(tmp_path: Path) -> None:
    folder = tmp_path / "history"
    terminal = open_prompt(history=str(folder / "file"))
    answer(terminal, "'apple' .. 1", "apple1")
    shutil.rmtree(folder)
    answer(terminal, "'pear' .. 2", "pear2")
    answer(terminal, UP + UP, "apple1")
    terminal.close()
    assert "Errno" not in terminal.shown


def test_a_history_that_is_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "history")
    terminal = open_prompt(history=str(tmp_path / "history"))
    answer(terminal, "'apple' .. 1", "apple1")
    answer(terminal, UP, "apple1")
    terminal.close()


def test_a_paste_without_marks_keeps_its_margins(shared: Terminal) -> None:
    shared.type("for i = 8, 9 do\r   kept = i\r   nothing.field = 1 end\r")
    shared.expect(" 3 |    nothing.field = 1 end\n")


def test_pasted_transcript_runs_its_inputs(shared: Terminal) -> None:
    pasted = "t7> a = {10,\n..> 20}\nt7> a[1] + a[2]\n999\nt7> 'la' .. 'st'\n999\n"
    paste(shared, pasted)
    shown = shared.expect("\nlast\n")
    assert "\n30\n" in shown and "999" not in shown.rpartition("t7> a = {10")[2]


def test_pasted_markdown_runs_its_blocks(shared: Terminal) -> None:
    paste(shared, "Words\n\n```lua\na = 31\n```\n\n```\nt7> a + 1\n999\n```\n")
    shown = shared.expect("\n32\n")
    # The echo of an input is the prompt and the input, not the transcript that it was in.
    assert shown.count("t7> a = 31\n") == shown.count("t7> a + 1\n32\n") == 1 and "t7> t7>" not in shown


def test_pasted_code_before_a_transcript_runs_too(shared: Terminal) -> None:
    pasted = "first = 4\ndouble = function(x)\n  return 2 * x\nend\nt7> double(first)\n999\nt7> 'la' .. 'st'"
    paste(shared, pasted)
    shown = shared.expect("\nlast\n")
    assert "\n8\n" in shown and "999" not in shown.rpartition("t7> first = 4")[2]


def colored(**env: str) -> str:
    """Everything that a terminal gets from a prompt in which a string is typed, escape codes included."""
    terminal = open_prompt(**env)
    raw = ""

    def read(timeout: float) -> bool:
        nonlocal raw
        data = os.read(terminal.descriptor, 65536)
        raw += data.decode(errors="replace")
        terminal.shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data.decode(errors="replace")).replace(
            "\r", ""
        )
        return True

    terminal._read = read  # type: ignore[method-assign]
    answer(terminal, "'col' .. 'ors'", "colors")
    terminal.close()
    return raw


@pytest.mark.slow
def test_colors(tmp_path: Path) -> None:
    color = re.compile(r"\x1b\[[0-9;]*3[0-9][0-9;]*m")
    assert color.search(colored())
    assert not color.search(colored(NO_COLOR="1"))
    (tmp_path / "config.toml").write_text('colors = "none"\n')
    assert not color.search(colored(config=str(tmp_path)))


def test_vi_keys(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('keys = "vi"\n')
    terminal = open_prompt(config=str(tmp_path))
    terminal.type("4444\x1b")
    terminal.pause(0.8)
    answer(terminal, "0cw3 * 5", "15")
    terminal.close()


def test_reset_asks_on_a_terminal(shared: Terminal) -> None:
    answer(shared, "precious = 1 print(precious)", "1")
    for reply, value in (("n", "1"), ("y", "nil")):
        shared.pause(0.2)
        shared.type("%reset\r")
        shared.expect("(y/[n])")
        shared.type(reply + "\r")
        shared.expect("t7>")
        answer(shared, "precious", value)


@pytest.mark.slow
def test_long_lines_show_in_the_title(shared: Terminal) -> None:
    shared.type("sys.sleep(1.3) print('woken')\r")
    assert re.search(r"t7: running for \d s", shared.expect("woken\n"))


def test_command_runs_on_a_terminal_of_80_columns() -> None:
    terminal = Terminal(COMMAND, {"TERM": "screen", "T7_HISTORY": "", "COLUMNS": "80", "LINES": "24"})
    terminal.expect("t7>")
    answer(terminal, "'narrow' .. 'ed'", "narrowed")
    assert all(len(line) <= 80 for line in terminal.shown.partition("t7>")[0].splitlines())
    terminal.close()


def test_output_without_an_end_of_line_stays() -> None:
    terminal = open_prompt()
    terminal.type("io.write('abc');\r")
    # As many blanks as a line has take the prompt to the next line.
    terminal.expect("abc" + " " * 80 + "t7>")
    terminal.close()


def test_long_strings_keep_their_blanks(shared: Terminal) -> None:
    answer(shared, "text = [[\r   end of it\r]]\r#text", "13")


def test_load_offers_a_file(shared: Terminal, tmp_path: Path) -> None:
    (tmp_path / "loaded.lua").write_text("loaded = 20\nreturn loaded + 1\n")
    shared.type(f"%load {tmp_path}/loaded.lua\r")
    shared.expect("return loaded + 1")
    shared.pause(0.2)
    answer(shared, " + 100", "121")


def test_completion_in_another_case(shared: Terminal) -> None:
    answer(shared, "other = torch.ones(6); other:sum()", "6")
    shared.type("other:nelem")
    shared.expect("nElement")
    shared.type(TAB)
    shared.pause(0.1)
    answer(shared, "()", "6")
