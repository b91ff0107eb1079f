"""Output for the page of `t7 display`; in a notebook it appears below the cell, without a server in files."""

from __future__ import annotations

import base64
import html
import http.client
import io
import json
import wave
from typing import Any

import numpy as np

from t7shell.host import encoding
from t7shell.host.memory import vector
from t7shell.host.notices import notice
from t7shell.packages.display import canvas, show
from t7shell.packages.image.files import encoded

DEFAULT_PORT = 8000
_TIMEOUT = 2.0  # seconds for the server to answer
_MAX_AMPLITUDE = 32767

_address = ("127.0.0.1", DEFAULT_PORT)
_told: list[tuple[str, int]] = []


def configure(hostname: str, port: float) -> None:
    """Sets where the page is."""
    global _address
    _address = (hostname, int(port))


def page_image(pane: str, title: str, address: float, planes: float, height: float, width: float) -> None:
    """Shows pixels in memory in a pane."""
    content = encoded("png", address, planes, height, width, 0)
    _show(pane, encoding.shown(title), "image", "image/png", content, "png")


def page_plot(
    pane: str, title: str, address: float, rows: float, columns: float, labels: str, ylabel: str
) -> None:
    """Shows curves over the first column of a matrix of doubles in a pane; NUL separates their labels."""
    size = int(rows) * int(columns)
    data = vector(int(address), "float64", size, 8).reshape(int(rows), int(columns))
    names = [encoding.shown(label) for label in labels.split("\0")]
    with canvas.drawing((6.4, 4.8)) as drawing:
        axes = drawing.subplots()
        for at in range(1, int(columns)):
            axes.plot(data[:, 0], data[:, at], label=names[at] or None)
        axes.set_title(encoding.shown(title))
        axes.set_xlabel(names[0])
        axes.set_ylabel(encoding.shown(ylabel))
        axes.grid(True, alpha=0.3)
        if any(names[1:]):
            axes.legend()
    _show(pane, encoding.shown(title), "image", "image/png", canvas.content(drawing, "png"), "png")


def page_audio(pane: str, title: str, address: float, samples: float, channels: float, rate: float) -> None:
    """Plays samples from -1 to 1, samples x channels. Louder recordings are scaled down."""
    count = int(samples) * int(channels)
    values = np.nan_to_num(vector(int(address), "float64", count, 8))
    values = values / max(1.0, float(np.abs(values).max(initial=0.0)))
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(int(channels))
        file.setsampwidth(2)
        file.setframerate(int(rate))
        file.writeframes(np.round(values * _MAX_AMPLITUDE).astype("<i2").tobytes())
    _show(pane, encoding.shown(title), "audio", "audio/wav", out.getvalue(), "wav")


def page_text(pane: str, title: str, text: str) -> None:
    """Shows text in a pane."""
    content = encoding.shown(text).encode("utf-8", "replace")
    _show(pane, encoding.shown(title), "text", "text/plain", content, "txt")


def page_close(pane: str) -> None:
    """Removes a pane from the page."""
    if not show.inline:
        send({"command": "close", "id": encoding.shown(pane)})


def send(message: dict[str, Any]) -> bool:
    """Sends a message to the server; false if there is none."""
    connection = http.client.HTTPConnection(*_address, timeout=_TIMEOUT)
    try:
        body = json.dumps(message).encode()
        connection.request("POST", "/events", body, {"Content-Type": "application/json"})
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _show(pane: str, title: str, kind: str, mime: str, content: bytes, extension: str) -> None:
    where = show.destination()
    if where == "none":
        return
    if show.inline:
        show.inline(_inline(title, kind, mime, content))
        return
    data = base64.b64encode(content).decode()
    if send({"command": kind, "id": encoding.shown(pane), "title": title, "type": mime, "data": data}):
        return
    if _address not in _told:
        _told.append(_address)
        host, port = _address
        notice(f"display: no page at http://{host}:{port}; `t7 display` starts one")
    show.write("display-" + "".join(c if c.isalnum() or c in "-_" else "_" for c in pane), content, extension)


def _inline(title: str, kind: str, mime: str, content: bytes) -> dict[str, str]:
    data = base64.b64encode(content).decode()
    if kind == "image":
        return {mime: data, "text/plain": title or "image"}
    if kind == "audio":
        source = f"data:{mime};base64,{data}"
        return {"text/html": f'<audio controls src="{source}"></audio>', "text/plain": title or "sound"}
    text = content.decode()
    return {"text/html": f"<pre>{html.escape(text)}</pre>", "text/plain": text}
