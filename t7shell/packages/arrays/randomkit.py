"""Random numbers of NumPy's distributions, by the names of randomkit, from a seed."""

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
# Bounds of the last parameter, beyond which RandomState may not terminate; Generator does.
_BOUNDS = {"vonmises": (0, 1e6), "zipf": (1.001, 1024)}


def _drawer(name: str, count: int) -> Callable[..., Any]:
    method = _RENAMED.get(name, name)

    def draw(seed: float, result: Any, *parameters: Any) -> Any:
        """Draws numbers in the shape of the result; without a result in that of the parameters."""
        if len(parameters) > count:
            raise ValueError(f"expected at most {count} parameters (got {len(parameters)})")
        if name == "uniform" or len(parameters) == count:
            source: Any = np.random.RandomState(int(seed))
            if name in _BOUNDS:
                minimum, maximum = _BOUNDS[name]
                if not np.all((parameters[-1] >= minimum) & (parameters[-1] <= maximum)):
                    source = np.random.Generator(np.random.MT19937(int(seed)))
            size = np.shape(result) if isinstance(result, np.ndarray) else None
            return getattr(source, method)(*parameters, size=size)
        raise ValueError(f"expected {count} parameters (got {len(parameters)})")

    return draw


FUNCTIONS = {name: _drawer(name, count) for count, names in _BY_PARAMETERS.items() for name in names.split()}
