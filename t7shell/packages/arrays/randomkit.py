"""Random numbers of NumPy's legacy distributions, which are those of randomkit, by torch's generator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# Distributions by the number of their parameters; NumPy has them, most under the same name.
_BY_PARAMETERS = {
    0: "double random_sample gauss standard_normal standard_cauchy standard_exponential",
    1: "chisquare exponential geometric logseries pareto poisson power rayleigh standard_gamma standard_t "
    "weibull zipf",
    2: "beta binomial f gamma gumbel laplace logistic lognormal negative_binomial noncentral_chisquare "
    "normal uniform vonmises wald",
    3: "hypergeometric noncentral_f triangular",
}
_RENAMED = {"double": "random_sample", "gauss": "standard_normal"}
# How many of the first parameters are counts.
_COUNTS = {"binomial": 1, "hypergeometric": 3}
# Bounds of the last parameter, beyond which RandomState may not terminate; Generator does.
_BOUNDS = {"vonmises": (0, 1e6), "zipf": (1.001, 1024)}
# The state of a generator as Torch7 stored it; the rest is of torch's own normal distribution.
_WORDS = 624
_STATE = np.dtype(
    {
        "names": ["seed", "left", "seeded", "next", "words", "rest"],
        "formats": ["<i8", "<i4", "<i4", "<i8", f"({_WORDS},)<i8", "V32"],
    }
)


def _drawer(name: str, count: int) -> Callable[..., Any]:
    method = _RENAMED.get(name, name)

    def draw(state: Any, has_gauss: float, gauss: float, result: Any, *parameters: Any) -> Any:
        """The numbers in the shape of the result, without one in that of the parameters; the state after
        them; whether there is another number of the normal distribution, and it.
        """
        if len(parameters) > count or (name != "uniform" and len(parameters) < count):
            raise ValueError(f"expected {count} parameters (got {len(parameters)})")
        stored = np.frombuffer(np.asarray(state, dtype=np.uint8).tobytes(), dtype=_STATE)[0].copy()
        position = _WORDS if stored["left"] == 1 else int(stored["next"])
        source: Any = np.random.RandomState()
        source.set_state(("MT19937", stored["words"].astype(np.uint32), position, int(has_gauss), gauss))
        drawing = source
        if name in _BOUNDS:
            minimum, maximum = _BOUNDS[name]
            if not np.all((parameters[-1] >= minimum) & (parameters[-1] <= maximum)):
                drawing = np.random.Generator(np.random.MT19937(source.randint(2**31)))
        counts = _COUNTS.get(name, 0)
        whole = [np.asarray(value).astype(np.int64) for value in parameters[:counts]]
        parameters = (*whole, *parameters[counts:])
        size = np.shape(result) if isinstance(result, np.ndarray) else None
        numbers = getattr(drawing, method)(*parameters, size=size)
        _, words, position, has_gauss, gauss = source.get_state()
        stored["words"], stored["next"], stored["left"] = words, position, _WORDS - position + 1
        return numbers, np.frombuffer(stored.tobytes(), dtype=np.uint8), has_gauss, gauss

    return draw


FUNCTIONS = {name: _drawer(name, count) for count, names in _BY_PARAMETERS.items() for name in names.split()}
