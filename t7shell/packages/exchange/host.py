"""What `lua/torch/utility/exchange.lua` calls: the pieces of a value, from a reader and to a writer."""

_VALUES = "t7shell.packages.exchange.values"

FUNCTIONS = {name: _VALUES for name in ("piece", "fill", "writer", "begin", "end", "key", "plain", "tensor")}
