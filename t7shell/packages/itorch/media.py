"""HTML, sound and videos in the output of a cell."""

from __future__ import annotations

import base64
import html
import mimetypes

from t7shell.host import encoding
from t7shell.packages.display import show

_USUAL = {"audio": "audio/wav", "video": "video/mp4", "image": "image/png"}


def show_html(text: str) -> None:
    """Shows HTML, a string of bytes in UTF-8."""
    show.show_html(encoding.shown(text))


def show_file(path: str, kind: str) -> None:
    """Shows a file of the kind 'audio', 'video', 'image' or 'svg'. Raises ValueError if it cannot be read."""
    name = encoding.from_lua(path)
    try:
        with open(path.encode("latin-1"), "rb") as file:
            content = file.read()
    except OSError as reason:
        raise ValueError(f"cannot read {path}: {reason.strerror}") from None
    if kind == "svg":
        show.show_html(content.decode("utf-8", "replace"))
        return
    mime = mimetypes.guess_type(name)[0] or ""
    if not mime.startswith(kind + "/"):
        # The browser decides by content among the formats of the kind.
        mime = _USUAL[kind]
    source = f"data:{mime};base64,{base64.b64encode(content).decode()}"
    if kind == "image":
        show.show_html(f'<img src="{source}" alt="{html.escape(name)}">')
    else:
        show.show_html(f'<{kind} controls src="{source}"></{kind}>')
