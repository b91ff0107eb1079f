"""Shows images of tensors."""

from __future__ import annotations

from t7shell.packages.display import show
from t7shell.packages.image.files import encoded


def show_pixels(key: str, title: str, address: float, planes: float, height: float, width: float) -> None:
    """Shows pixels in memory where pictures appear; they replace an earlier picture of the key."""
    show.show(key, title, encoded("png", address, planes, height, width, 0))
