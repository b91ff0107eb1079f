"""What CONTRIBUTING says about a new transfer function and a new module works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

from t7shell import Runtime

ROOT = Path(__file__).resolve().parents[2]


def blocks() -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return re.findall(r"^```lua\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_the_recipes(runtime: Runtime) -> None:
    lua = runtime
    row = next(b for b in blocks() if b.startswith("transfer_rows.Cube"))
    module = next(b for b in blocks() if b.startswith("-- nn.Negate"))
    lua.execute(
        f"local transfer_rows = require 'nn.transfer.transfer_rows' {row}\n"
        "local classes = require 'nn.class.classes'\n"
        "classes.declare(nn, 'transfer', { { 'Cube', 'Module', 'elementwise_transfers' } })\n"
        f"package.preload['nn.simple.Negate'] = function() {module} end\n"
        "classes.declare(nn, 'simple', { { 'Negate', 'Module' } })"
    )
    for make in ("Cube", "Negate"):
        lua.execute(f"failures = checks(function() return nn.{make}() end, t(3, 4), t(2), {{1}})")
        assert lua.eval("table.concat(failures, '; ')") == ""
    assert lua.eval("nn.Cube():forward(torch.Tensor{2, -3}):sum()") == -19
    assert lua.eval("nn.Negate():forward(torch.Tensor{2, -3}):sum()") == 1
