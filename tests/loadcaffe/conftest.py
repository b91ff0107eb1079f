"""Files of models."""

from __future__ import annotations

import pytest


@pytest.fixture
def files(tmp_path):
    """files(prototxt, blobs): writes both files and returns their names as arguments in Lua."""

    def write(prototxt, content):
        names = tmp_path / "net.prototxt", tmp_path / "net.caffemodel"
        names[0].write_text(prototxt)
        names[1].write_bytes(content)
        return f"'{names[0]}', '{names[1]}'"

    return write
