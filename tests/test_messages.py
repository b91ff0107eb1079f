"""Names of others in messages: control characters, which terminals interpret, are escaped."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from t7shell import t7file
from t7shell.host.encoding import plain

from .conftest import Run

Lua = Callable[[str], str]

# Escape, the controls of eight bits, and the mark that turns the direction of writing.
EVIL = "a\x1b[31m\x07\x9b2J\u202eb"


def is_harmless(text: str) -> bool:
    return all(c.isprintable() or c in "\n\t" for c in text)


def test_text_of_others() -> None:
    assert plain("plain é €") == "plain é €"
    assert plain("a\x1b[1m\n\x7f\x9b") == r"a\x1b[1m\n\x7f\x9b"
    assert plain("a\n\x1b", "\n") == "a\n\\x1b"


@pytest.mark.parametrize("name", ["LostPackage.Class", "Lost"])
def test_every_mention_of_a_class(lua: Lua, name: str) -> None:
    """The class is named in the error and in its hint, with its package too."""
    printed = lua(f"""
        local kept, evil = '{name.replace("Lost", "Kept")}', ('{name}'):gsub('o', '\\27[31m\\7\\194\\155\\n')
        if kept:find '%.' then KeptPackage = {{}} end
        torch.class(kept)
        local text = torch.serialize(torch.factory(kept)())
        local at, last = text:find(string.char(#kept, 0, 0, 0) .. kept, 1, true)
        text = text:sub(1, at - 1) .. string.char(#evil, 0, 0, 0) .. evil .. text:sub(last + 1)
        local _, message = pcall(torch.deserialize, text)
        io.write(message)""")
    assert "unknown class 'L\\27[31m\\7\\194\\155\\10st" in printed
    assert printed.count("\\27[31m") == 2 and is_harmless(printed) and "\n" not in printed


def test_arguments_and_fields_in_errors_and_warnings(lua: Lua) -> None:
    printed = lua("""
        for _, f in ipairs {
           function() torch.zeros(2):add('\\27[31m') end,
           function() torch.Tensor(2):type('\\27[31m') end,
           function() torch.setdefaulttensortype('\\27[31m') end,
           function() require('nn').Sequential():add('\\27[31m') end,
           function() require('cjson').decode('\\27[31m') end,
        } do
           local fine, message = pcall(f)
           io.write(tostring(fine), message, '\\n')
        end
        torch.class 'MessageField'
        local x = MessageField()
        x['\\27[31m'] = coroutine.create(print)
        torch.serialize(x)""")
    assert printed.count("false") == 5 and "Warning: cannot write object field <\\27[31m>" in printed
    assert "\x1b" not in printed


def safetensors(path: Path, name: str, row: object) -> None:
    text = json.dumps({name: row}).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(8))


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "row",
    [
        {"dtype": EVIL, "shape": [1], "data_offsets": [0, 8]},
        {"dtype": "F64", "shape": [2], "data_offsets": [0, 8]},
        {"dtype": "F64", "shape": [1], "data_offsets": [1, 9]},
        {"dtype": "F64", "shape": EVIL, "data_offsets": [0, 8]},
        EVIL,
    ],
)
def test_names_and_types_of_safetensors(t7: Run, tmp_path: Path, row: object) -> None:
    path = tmp_path / "x.safetensors"
    safetensors(path, EVIL, row)
    done = t7("convert", str(path), str(tmp_path / "x.t7"))
    assert done.returncode == 1 and str(path) in done.stderr and "31m" in done.stderr
    assert is_harmless(done.stderr)


@pytest.mark.slow
def test_names_of_archives_and_networks(t7: Run, tmp_path: Path) -> None:
    archive, network = tmp_path / "x.npz", tmp_path / "net.t7"
    np.savez(archive, **{EVIL: np.ones(2)})
    t7file.save(t7file.Object("nn.Linear", {"weight": np.ones((2, 2)), "bias": np.ones(2)}), network)
    done = t7("convert", str(archive), str(tmp_path / "x.t7"), "--into", str(network))
    assert done.returncode == 1 and is_harmless(done.stderr), done.stderr
    t7file.save(t7file.Object(f"nn.{EVIL[:-2]}", {EVIL: np.ones(2)}), network)
    for target in ("x.npz", "x.onnx", "x.py", "x.safetensors", "x.pt"):
        assert is_harmless(t7("convert", str(network), str(tmp_path / target)).stderr)
    done = t7("inspect", str(network))
    assert is_harmless(done.stdout)


COMMANDS = [
    ["check", "p"],
    ["check", f"p/{EVIL}.lua"],
    ["check", EVIL],
    ["doctest", f"{EVIL}.md"],
    ["doctest", EVIL],
    ["notebook", "upgrade", EVIL],
    ["convert", f"{EVIL}.t7", f"{EVIL}.onnx"],
    ["inspect", EVIL],
    ["rocks", "install", EVIL],
    [EVIL],
    [f"--{EVIL}"],
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda words: words[0][:8])
def test_names_and_texts_in_messages_of_commands(t7: Run, tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / f"{EVIL}.lua").write_text("x = \n")
    names = f"require 'm{EVIL}' io.open('f{EVIL}') dofile 'g{EVIL}' y = '{EVIL}' = 3"
    (tmp_path / "p" / "b.lua").write_text(names)
    (tmp_path / f"{EVIL}.md").write_text(f"    t7> print('a{EVIL}')\n    b{EVIL}\n")
    done = t7(*arguments, cwd=tmp_path)
    assert done.returncode != 0 and is_harmless(done.stdout + done.stderr), done.stdout + done.stderr
    assert r"\x1b" in done.stdout + done.stderr or arguments[0] == "rocks"
