"""Images of tensors, shown."""

from __future__ import annotations

from t7shell.display import show
from t7shell.image.files import encode


def show_pixels(
    key: str, title: str, address: float, dtype: str, planes: float, height: float, width: float
) -> None:
    """Shows planes in memory where pictures appear. What is shown before under the key gives way."""
    content = encode("png", address, dtype, planes, height, width, 0)
    if isinstance(content, tuple):
        raise ValueError(content[1])
    show.show(key, title, content)
