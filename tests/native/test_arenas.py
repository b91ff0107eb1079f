"""The allocator of small Lua objects, in a program of C."""

from __future__ import annotations

from pathlib import Path

from tests.native.c_programs import NEEDS_COMPILER, SANITIZERS, output

# 80 MB of small blocks are more than the 64 MB of arenas, and leave them free for the second turn.
EXPECTED = """\
0 blocks elsewhere, 0 endings
blocks within 16 MB
some elsewhere
some elsewhere
0 blocks elsewhere, 1 endings
"""


@NEEDS_COMPILER
@SANITIZERS
def test_blocks_keep_their_contents(tmp_path: Path, sanitize: str) -> None:
    assert output(tmp_path, "arenas_blocks.c", "arenas.c", sanitize) == EXPECTED
