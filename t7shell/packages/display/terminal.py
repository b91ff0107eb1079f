"""Pictures in a terminal, by the protocol that it reports or by half blocks of colour."""

from __future__ import annotations

import base64
import io
import os
import re
import select
import shutil
import sys
import time
from collections.abc import Callable
from typing import Any

_ESC = "\x1b"
# How long a terminal may take for its answers, in seconds.
_TIMEOUT = 0.5
# Queries: kitty's protocol, the name of the terminal, and last its attributes, which every terminal reports.
_QUESTIONS = f"{_ESC}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA{_ESC}\\{_ESC}[>0q{_ESC}[c"
_LAST_ANSWER = re.compile(r"\x1b\[\?([\d;]*)c")
_CHUNK = 4096

_known: list[str | None] = []


def protocol() -> str | None:
    """'kitty', 'iterm' or 'sixel', which the terminal is queried for on first use; None if it has none."""
    if not _known:
        _known.append(read_answers(_ask()))
    return _known[0]


def has_all_colours() -> bool:
    """Whether the terminal reports 24-bit colours, which half blocks need."""
    return os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit")


def read_answers(text: str) -> str | None:
    """The protocol in the answers of a terminal."""
    if re.search(r"\x1b_Gi=31;OK", text):
        return "kitty"
    if re.search(r"\x1bP>\|(iTerm2|WezTerm|mintty)", text):
        return "iterm"
    attributes = _LAST_ANSWER.search(text)
    return "sixel" if attributes and "4" in attributes[1].split(";")[1:] else None


def _ask() -> str:
    """The terminal's answer to the queries; empty after a timeout."""
    try:
        import termios
        import tty

        descriptor = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except (ImportError, OSError):
        return ""
    try:
        before = termios.tcgetattr(descriptor)
    except termios.error:
        os.close(descriptor)
        return ""
    answer = b""
    try:
        tty.setcbreak(descriptor)
        os.write(descriptor, _QUESTIONS.encode())
        end = time.monotonic() + _TIMEOUT
        while not _LAST_ANSWER.search(answer.decode("latin-1")):
            left = end - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                break
            answer += os.read(descriptor, 1024)
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)
        os.close(descriptor)
    return answer.decode("latin-1")


def show(content: bytes) -> None:
    """Writes a PNG to the terminal."""
    columns, lines = shutil.get_terminal_size()
    kind = protocol()
    if kind == "kitty":
        text = kitty(content)
    elif kind == "iterm":
        text = iterm(content)
    else:
        from t7shell.packages.image.opening import open_picture

        picture = open_picture(io.BytesIO(content), ("PNG",)).convert("RGB")
        text = sixel(picture) if kind == "sixel" else half_blocks(picture, columns, max(4, lines - 2))
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def show_text(text: Callable[[int, int], str | None]) -> bool:
    """Writes a picture in characters where there is no protocol. Returns whether it has."""
    columns, lines = shutil.get_terminal_size()
    shown = None if protocol() else text(columns, max(4, lines - 2))
    if shown is None:
        return False
    sys.stdout.write(shown + "\n")
    sys.stdout.flush()
    return True


def kitty(content: bytes) -> str:
    """A PNG in kitty's protocol, in chunks."""
    data = base64.b64encode(content).decode()
    chunks = [data[i : i + _CHUNK] for i in range(0, len(data), _CHUNK)]
    out = []
    for i, chunk in enumerate(chunks):
        more = int(i < len(chunks) - 1)
        head = f"a=T,f=100,m={more}" if i == 0 else f"m={more}"
        out.append(f"{_ESC}_G{head};{chunk}{_ESC}\\")
    return "".join(out)


def iterm(content: bytes) -> str:
    """A PNG in the protocol of iTerm2."""
    data = base64.b64encode(content).decode()
    return f"{_ESC}]1337;File=inline=1;size={len(content)}:{data}\a"


def sixel(picture: Any) -> str:
    """A picture in sixels, with a palette of up to 255 colours."""
    palette = picture.quantize(255)
    width, height = palette.size
    colours, pixels = palette.getpalette(), palette.tobytes()
    out = [f'{_ESC}P0;1q"1;1;{width};{height}']
    for number in range(len(colours) // 3):
        red, green, blue = (round(value * 100 / 255) for value in colours[3 * number : 3 * number + 3])
        out.append(f"#{number};2;{red};{green};{blue}")
    for top in range(0, height, 6):
        rows = [pixels[y * width : (y + 1) * width] for y in range(top, min(top + 6, height))]
        for number in sorted(set().union(*rows)):
            bits = [sum((row[x] == number) << i for i, row in enumerate(rows)) for x in range(width)]
            out.append(f"#{number}{_runs(bits)}$")
        out.append("-")
    return "".join(out) + f"{_ESC}\\"


def _runs(bits: list[int]) -> str:
    out, start = [], 0
    for x in range(1, len(bits) + 1):
        if x == len(bits) or bits[x] != bits[start]:
            count, letter = x - start, chr(63 + bits[start])
            out.append(f"!{count}{letter}" if count > 3 else letter * count)
            start = x
    return "".join(out)


def half_blocks(picture: Any, columns: int, lines: int) -> str:
    """A picture by blocks of colour, two pixels to a character, no larger than the terminal."""
    width, height = picture.size
    factor = min(columns / width, 2 * lines / height, 1)
    small = picture.resize((max(1, int(width * factor)), max(2, int(height * factor) // 2 * 2)))
    return "\n".join("".join(row) for row in half_block_rows(small))


def half_block_rows(picture: Any) -> list[list[str]]:
    """The characters of a picture of an even height, row by row; the last one of a row ends the colours."""
    pixels = picture.load()
    out = []
    for y in range(0, picture.height, 2):
        row = []
        for x in range(picture.width):
            upper, lower = pixels[x, y], pixels[x, y + 1]
            row.append(f"{_ESC}[38;2;{_code(upper)};48;2;{_code(lower)}m▀")
        row[-1] += f"{_ESC}[0m"
        out.append(row)
    return out


def _code(colour: tuple[int, int, int]) -> str:
    return ";".join(str(value) for value in colour)
