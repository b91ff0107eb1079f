"""Random numbers of NumPy's distributions, by the names of randomkit, from a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# Distributions and how many parameters each has; those of another name in NumPy have it.
DISTRIBUTIONS: dict[str, tuple[int, str]] = {
    "beta": (2, "beta"),
    "binomial": (2, "binomial"),
    "chisquare": (1, "chisquare"),
    "double": (0, "random_sample"),
    "random_sample": (0, "random_sample"),
    "exponential": (1, "exponential"),
    "f": (2, "f"),
    "gamma": (2, "gamma"),
    "gauss": (0, "standard_normal"),
    "standard_normal": (0, "standard_normal"),
    "geometric": (1, "geometric"),
    "gumbel": (2, "gumbel"),
    "hypergeometric": (3, "hypergeometric"),
    "laplace": (2, "laplace"),
    "logistic": (2, "logistic"),
    "lognormal": (2, "lognormal"),
    "logseries": (1, "logseries"),
    "negative_binomial": (2, "negative_binomial"),
    "noncentral_chisquare": (2, "noncentral_chisquare"),
    "noncentral_f": (3, "noncentral_f"),
    "normal": (2, "normal"),
    "pareto": (1, "pareto"),
    "poisson": (1, "poisson"),
    "power": (1, "power"),
    "rayleigh": (1, "rayleigh"),
    "standard_cauchy": (0, "standard_cauchy"),
    "standard_exponential": (0, "standard_exponential"),
    "standard_gamma": (1, "standard_gamma"),
    "standard_t": (1, "standard_t"),
    "triangular": (3, "triangular"),
    "uniform": (2, "uniform"),
    "vonmises": (2, "vonmises"),
    "wald": (2, "wald"),
    "weibull": (1, "weibull"),
    "zipf": (1, "zipf"),
}


def _drawer(name: str) -> Callable[..., Any]:
    count, method = DISTRIBUTIONS[name]

    def draw(seed: float, result: Any, *parameters: Any) -> Any:
        """Numbers as many as the result has elements, or else as the parameters."""
        if len(parameters) > count:
            raise ValueError(f"at most {count} parameters expected (got {len(parameters)})")
        if name == "uniform" or len(parameters) == count:
            source = np.random.RandomState(int(seed))
            size = np.shape(result) if isinstance(result, np.ndarray) else None
            return getattr(source, method)(*parameters, **({"size": size} if size is not None else {}))
        raise ValueError(f"{count} parameters expected (got {len(parameters)})")

    return draw


FUNCTIONS = {name: _drawer(name) for name in DISTRIBUTIONS}
