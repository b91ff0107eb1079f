"""The table of modules, by chapter."""

from t7shell.convert.layers import (
    containers,
    convolution,
    linear,
    normalization,
    pooling,
    recurrent,
    shape,
    transfer,
)

CHAPTERS = (linear, convolution, pooling, normalization, transfer, shape, containers, recurrent)
