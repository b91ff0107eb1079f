"""Writes the figures of benchmarks/figures.tsv into README.md and docs/compare.md.

    python3 benchmarks/figures.py [--programs FILE] [--pytorch FILE] [--machine TEXT] [--check]

`--programs` and `--pytorch` are outputs of programs.py and pytorch/run.py, whose times first replace those in
the file of figures, with the commit that is checked out. `--check` fails if the texts differ.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
FIGURES, README, COMPARE = ROOT / "benchmarks/figures.tsv", ROOT / "README.md", ROOT / "docs/compare.md"

# The first cell of the header of each table in docs/compare.md, by the table of the figures.
HEADERS = {"programs": "program", "torch7": "call", "numpy": "operation", "training": "work"}


@dataclass
class Row:
    """Times of the same work, here and elsewhere, one or several."""

    table: str
    label: str
    ours: list[float]
    theirs: list[float]
    names: list[str]

    def ratios(self) -> list[float]:
        return [theirs / ours for ours, theirs in zip(self.ours, self.theirs, strict=True)]

    def markdown(self) -> str:
        def cell(values: list[float]) -> str:
            return ", ".join(f"{value:,.0f}" if value >= 100 else f"{value:g}" for value in values)

        ratios = ", ".join(map(ratio, self.ratios()))
        return f"| {self.label} | {cell(self.ours)} | {cell(self.theirs)} | {ratios} |"


def ratio(value: float) -> str:
    """Two digits, since single rows differ by a fifth from run to run."""
    return f"{value:.1f}" if value < 9.95 else f"{float(f'{value:.2g}'):.0f}"


def read(path: Path = FIGURES) -> tuple[dict[str, str], list[Row]]:
    """What was measured and where, and the rows."""
    about, rows = {}, []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        table, label, *cells = line.split("\t")
        if table == "about":
            about[label] = cells[0]
        else:
            ours, theirs = ([float(part) for part in cell.split(";")] for cell in cells[:2])
            names = cells[2].split("; ") if len(cells) > 2 else []
            rows.append(Row(table, label, ours, theirs, names))
    return about, rows


def write(about: dict[str, str], rows: list[Row]) -> None:
    comments = [line for line in FIGURES.read_text("utf-8").splitlines() if line.startswith("#")]
    lines = comments + [f"about\t{key}\t{value}" for key, value in about.items()]
    for row in rows:
        cells = [row.table, row.label]
        cells += ["; ".join(f"{value:g}" for value in values) for values in (row.ours, row.theirs)]
        lines.append("\t".join([*cells, *(["; ".join(row.names)] if row.names else [])]))
    FIGURES.write_text("\n".join(lines) + "\n", "utf-8")


def update(about: dict[str, str], rows: list[Row], programs: Path | None, pytorch: Path | None) -> None:
    """Replaces times by those in the outputs of the benchmarks."""
    ours: dict[str, float] = {}
    theirs: dict[str, float] = {}
    for line in programs.read_text("utf-8").splitlines() if programs else ():
        # The median of several processes.
        if found := re.match(r"(\w+) +([\d.]+) +([\d.]+) +([\d.]+)", line):
            ours[found[1]] = float(found[3])
    for line in pytorch.read_text("utf-8").splitlines() if pytorch else ():
        if found := re.match(r"(.+?) +([\d.]+) +([\d.]+) +([\d.]+) +[\d.]+$", line):
            ours[found[1]], theirs[found[1]] = float(found[2]), min(float(found[3]), float(found[4]))
        elif found := re.match(r"(\d+) rows, .* mean ([\d.]+)", line):
            about["rows"], about["mean"] = found.groups()
    for row in rows:
        if row.names and all(name in ours for name in row.names):
            row.ours = [ours[name] for name in row.names]
            row.theirs = [theirs.get(name, old) for name, old in zip(row.names, row.theirs, strict=True)]
    command = ["git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD"]
    about["commit"] = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def compare_text(text: str, about: dict[str, str], rows: list[Row]) -> str:
    """The chapter with the tables of the figures, and the sentences that name machine, commit and mean."""
    for table, header in HEADERS.items():
        body = "".join(row.markdown() + "\n" for row in rows if row.table == table)
        text, count = re.subn(
            rf"(?m)^(\| {header} \|.*\n\|[-|]+\|\n)(?:\|.*\n)*",
            lambda found, body=body: found[1] + body,
            text,
        )
        if count != 1:
            raise ValueError(f"docs/compare.md must have one table with the header '{header}' (got {count})")
    when = f"{about['date']} at commit `{about['commit']}`"
    text = re.sub(r"(?<=measured in )\w+ \d+ at commit `\w+`", when, text)
    text = re.sub(r"(?<=, on )[^.]*?(?= that also did other)", about["machine"], text)
    text = re.sub(r"PyTorch [\d.]+(?= on the CPU)", f"PyTorch {about['pytorch']}", text)
    return re.sub(r"all \d+ rows is \d[\d.]*\d", f"all {about['rows']} rows is {about['mean']}", text)


def span(rows: list[Row]) -> str:
    values = [value for row in rows for value in row.ratios()]
    return f"{min(values):.0f} to {float(f'{max(values):.1g}'):.0f}"


def readme_text(text: str, rows: list[Row]) -> str:
    """README's rows of figures."""

    def of(table: str, *labels: str) -> list[Row]:
        found = [row for row in rows if row.table == table and (not labels or row.label.startswith(labels))]
        if len(found) < len(labels):
            raise ValueError(f"figures.tsv must have the rows {labels}")
        return found

    def forward(*labels: str, mark: str = ", ") -> str:
        return mark.join(ratio(of("training", label)[0].ratios()[0]) for label in labels)

    training = forward("LeNet", "two layers of LSTMs", "AlexNet")
    lines = {
        "**speedup over it:** small operations, 4x4": (span(of("torch7")), span(of("numpy")), ""),
        "whole programs with small tensors": (
            span(of("programs")),
            "",
            f"{forward('exclusive or, a sample')} (XOR)",
        ),
        "training steps of LeNet, two LSTMs, AlexNet": ("", "", training),
        "batch normalization; max pooling, forward": (
            "",
            "",
            forward("batch normalization", "max pooling", mark="; "),
        ),
    }
    for label, cells in lines.items():
        row = f"| {label} |" + "".join(f" {cell} |" if cell else " |" for cell in cells)
        text, count = re.subn(rf"(?m)^\| {re.escape(label)} \|.*$", lambda _, row=row: row, text)
        if count != 1:
            raise ValueError(f"README.md must have one row '{label}' (got {count})")
    return text


def texts() -> dict[Path, str]:
    """The two documents as the figures have them."""
    about, rows = read()
    return {
        README: readme_text(README.read_text("utf-8"), rows),
        COMPARE: compare_text(COMPARE.read_text("utf-8"), about, rows),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the figures into README.md and docs/compare.md.")
    parser.add_argument("--programs", type=Path)
    parser.add_argument("--pytorch", type=Path)
    parser.add_argument("--machine")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.programs or options.pytorch:
        about, rows = read()
        about["machine"] = options.machine or about["machine"]
        update(about, rows, options.programs, options.pytorch)
        write(about, rows)
    differ = [path for path, text in texts().items() if path.read_text("utf-8") != text]
    if options.check:
        sys.exit(
            f"differ from benchmarks/figures.tsv: {', '.join(path.name for path in differ)}" if differ else 0
        )
    for path, text in texts().items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
