"""What `lua/parallel` calls."""

FUNCTIONS = dict.fromkeys(
    (
        "start", "attach", "send", "receive", "alive", "close",
    ),
    "t7shell.packages.parallel.processes",
)  # fmt: skip
