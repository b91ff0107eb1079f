"""Which examples of a document print random values.

A document that does not seed the generator cannot be reproduced. A source is random when it draws random
numbers, makes layers, whose initial weights are drawn, or uses a name that got its value from such a source;
names are followed through assignments and in-place methods.
"""

from __future__ import annotations

import re

from t7shell.doctest.lua_text import STRING_OR_COMMENT

_DISTRIBUTIONS = "random|uniform|normal|exponential|cauchy|logNormal|geometric|bernoulli|multinomial"
# Classes that draw their initial weights, or draw when they run, by the ends of their names.
_LAYERS = (
    "Linear|LinearWeightNorm|Convolution|ConvolutionMM|ConvolutionMap|ConvolutionLocal|SubSampling|LookupTable"
    "|Bilinear|Euclidean|Cosine|Add|Mul|Maxout|BatchNormalization|FractionalMaxPooling|LSTM|LSTMP|GRU|RNN"
    "|Recurrent|NCEModule|RReLU|Dropout|WhiteNoise"
)
_LAYER = rf"\b(?:nn|cudnn|rnn|dpnn|nnx|inn)\.(?!SpatialUpSampling)\w*(?:{_LAYERS})\b"
_DRAW = re.compile(
    rf"\btorch\.(?:rand|randn|randperm|{_DISTRIBUTIONS})\b"
    rf"|{_LAYER}"
    rf"|:(?:{_DISTRIBUTIONS})\s*\("
    r"|\bmath\.random\b|\bos\.(?:time|clock|date)\b"
)
_SEED = re.compile(r"\b(?:torch\.manualSeed|math\.randomseed)\s*\(")
_STATEMENT = r"(?:^|[;\n]|\bdo\b|\bthen\b)\s*"
_ASSIGNED = re.compile(_STATEMENT + r"(?:local\s+)?([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s*=(?!=)")
_CHANGED = re.compile(_STATEMENT + r"([A-Za-z_]\w*)\s*[:.\[]")
_OVERWRITTEN = re.compile(r"(?:^|[;\n])\s*([A-Za-z_]\w*)\s*:\s*(?:fill|zero)\s*\(")
_NAME = re.compile(r"(?<![\w.:])[A-Za-z_]\w*")
# Names of the language and of packages, which no random value is assigned to.
_SHARED = {"torch", "math", "os", "print", "for", "if", "return", "local"}


class RandomNames:
    """Follows one document from example to example."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._seeded = False

    def visit(self, source: str) -> bool:
        """Takes the next source of the document; true if its output may be random."""
        code = STRING_OR_COMMENT.sub(" ", source)
        self._seeded = self._seeded or bool(_SEED.search(code))
        draws = bool(_DRAW.search(code)) and not self._seeded
        used = _ASSIGNED.sub(" ", code)
        random = draws or not self._names.isdisjoint(_NAME.findall(used))
        assigned = {name for names in _ASSIGNED.findall(code) for name in re.split(r"\s*,\s*", names)}
        if random:
            self._names |= (assigned | set(_CHANGED.findall(code))) - _SHARED
        else:
            self._names -= assigned
        self._names -= set(_OVERWRITTEN.findall(code)) - assigned
        return random
