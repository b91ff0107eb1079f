"""What `lua/torch/utility/exchange.lua` calls."""

FUNCTIONS = dict.fromkeys(
    (
        "piece", "fill", "writer", "begin", "end", "key", "plain", "tensor",
    ),
    "t7shell.packages.exchange.values",
)  # fmt: skip
