"""The functions that `lua/torch/utility/exchange.lua` calls."""

FUNCTIONS = {".values": "piece fill writer begin end key plain tensor"}
