"""Records a session of the prompt as a picture that moves: python docs/site/record.py

Types the inputs below into `t7`, and writes docs/pictures/prompt.svg, in which its lines appear one by one,
and docs/site/prompt.cast, which asciinema plays.
"""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
INPUTS = """\
x = torch.range(1, 12):view(3, 4)
x[{ {1, 2}, {-2, -1} }]:fill(0)
x:t() * torch.Tensor{1, 0, 1}
require 'nn';
net = nn.Sequential():add(nn.Linear(4, 2)):add(nn.LogSoftMax())
net:forward(x):size()
x:add(torch.ones(5))
x:sise()
"""
WIDTH, SIZE, LINE, PAUSE, TYPING = 720, 14, 19, 0.9, 0.03
PROMPTS = re.compile(r"^(?:t7> )+")
# Without animations, all lines are there from the start.
STYLE = """\
text { font: 14px ui-monospace, Menlo, Consolas, monospace; fill: #d8dee9; white-space: pre;
  animation: appear .01s backwards; }
.input { fill: #88c0d0; } .error { fill: #e0808a; }
@keyframes appear { from { opacity: 0; } }
@media (prefers-reduced-motion: reduce) { text { animation: none; } }
"""


def answers() -> list[tuple[str, str]]:
    """Each input, and what the prompt answers."""
    environment = {**os.environ, "T7_CONFIG": os.devnull, "T7_HISTORY": ""}
    found = []
    lines = INPUTS.splitlines()
    before = ""
    for count in range(1, len(lines) + 1):
        done = subprocess.run(
            [sys.executable, "-m", "t7shell", "-i", "--no-init"],
            input="\n".join(lines[:count]) + "\n",
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
        text = done.stdout.partition("Ctrl-D leaves.\n")[2].removesuffix("t7> \n").removesuffix("t7> ")
        found.append((lines[count - 1], PROMPTS.sub("", text[len(before) :]).rstrip("\n")))
        before = text
    return found


def main() -> None:
    rows: list[tuple[float, str, str]] = []
    events: list[list[object]] = []
    now = 0.5
    for source, answer in answers():
        rows.append((now, "input", "t7> " + source))
        for at, letter in enumerate("t7> " + source):
            events.append([round(now + at * TYPING, 2), "o", letter])
        now += len(source) * TYPING + 0.3
        failed = answer.startswith("[")
        rows += [(now, "error" if failed else "", line) for line in answer.splitlines()]
        events.append([round(now, 2), "o", "\r\n" + "".join(line + "\r\n" for line in answer.splitlines())])
        now += PAUSE
    height = LINE * len(rows) + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img">',
        "<title>A session of the prompt t7</title>",
        f'<style>{STYLE}</style><rect width="100%" height="100%" rx="6" fill="#20242c"/>',
    ]
    for at, (start, kind, line) in enumerate(rows):
        place = f'x="14" y="{LINE * (at + 1) + 8}" class="{kind}" style="animation-delay:{start:.2f}s"'
        parts.append(f'<text xml:space="preserve" {place}>{html.escape(line)}</text>')
    (DOCS / "pictures" / "prompt.svg").write_text("\n".join([*parts, "</svg>", ""]), encoding="utf-8")
    head = {"version": 2, "width": 90, "height": len(rows) + 2, "title": "t7"}
    cast = "\n".join(json.dumps(line, ensure_ascii=False) for line in [head, *events])
    (DOCS / "site" / "prompt.cast").write_text(cast + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
