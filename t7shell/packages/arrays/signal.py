"""Transforms of signals by SciPy. Complex arrays have a last dimension of two: real and imaginary parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import fft
from scipy import signal as processing

Array = np.ndarray[Any, Any]


def _complex(x: Array, dims: int) -> Array:
    """An input of the given number of dimensions, or of one more for complex numbers."""
    if not isinstance(x, np.ndarray):
        raise ValueError("expected a tensor (got a number)")
    x = x if x.dtype == np.float32 else x.astype(np.float64)
    if x.ndim == dims and x.size:
        return x
    if x.ndim == dims + 1 and x.shape[-1] == 2 and x.size:
        return x[..., 0] + 1j * x[..., 1]
    sizes = "x".join(map(str, x.shape))
    raise ValueError(
        f"expected {dims} dimensions, or {dims + 1} of which the last has 2 elements (got [{sizes}])"
    )


def _real(x: Array, dims: int) -> Array:
    if not isinstance(x, np.ndarray) or x.ndim != dims or not x.size:
        shape = "x".join(map(str, np.shape(x)))
        raise ValueError(f"expected a tensor of {dims} dimension{'s'[: dims > 1]} (got [{shape}])")
    return x if x.dtype == np.float32 else x.astype(np.float64)


def _whole(x: Array, count: float | None = None) -> Array:
    spectrum = _complex(x, 1)
    return np.asarray(fft.irfft(spectrum, int(count) if count else 2 * (len(spectrum) - 1)))


def _size2(x: Array, size: tuple[float, ...]) -> tuple[int, int]:
    """The rows and columns of the inverse of a half spectrum; the number of columns may be given."""
    return x.shape[0], int(size[0]) if size else 2 * (x.shape[1] - 1)


def _whole_rows(x: Array) -> Array:
    spectra = _complex(x, 2)
    return np.asarray(fft.irfft(spectra, 2 * (spectra.shape[1] - 1), axis=1))


def _numbers(x: Array) -> Array:
    if not isinstance(x, np.ndarray) or not x.ndim or x.shape[-1] != 2:
        raise ValueError("complex numbers expected: a tensor whose last dimension has 2 elements")
    return np.asarray(x[..., 0] + 1j * x[..., 1])


def _factor(x: Array) -> Array:
    """Complex numbers; a tensor of one dimension holds real ones."""
    return _complex(x, 1) if np.ndim(x) == 1 else _numbers(x)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "rfft": lambda x: fft.rfft(_real(x, 1)),
    "irfft": _whole,
    "irfft2": lambda x, *size: fft.irfft2(_complex(x, 2), _size2(x, size)),
    "rfft2": lambda x: fft.rfft2(_real(x, 2)),
    # Of each row of a matrix.
    "fftM": lambda x: fft.fft(_complex(x, 2), axis=1) + 0j,
    "ifftM": lambda x: fft.ifft(_complex(x, 2), axis=1) + 0j,
    "rfftM": lambda x: fft.rfft(_real(x, 2), axis=1),
    "irfftM": _whole_rows,
    "hilbert": lambda x: processing.hilbert(_real(x, 1)),
    "rceps": lambda x: np.array(np.real(fft.ifft(np.log(np.abs(fft.fft(_real(x, 1))))))),
    "complex.real": lambda x: _numbers(x).real.copy(),
    "complex.imag": lambda x: _numbers(x).imag.copy(),
    "complex.abs": lambda x: np.abs(_numbers(x)),
    "complex.angle": lambda x: np.angle(_numbers(x)),
    "complex.conj": lambda x: np.conj(_numbers(x)),
    "complex.cmul": lambda x, y: _factor(x) * _factor(y) + 0j,
    "complex.dot": lambda x, y: np.array([np.dot(_numbers(x), _numbers(y)) + 0j]),
    "complex.prod": lambda x: np.array([np.prod(_numbers(x)) + 0j]),
    "complex.cart2polar": lambda x: np.abs(_numbers(x)) + 1j * np.angle(_numbers(x)),
    "complex.polar2cart": lambda x: _numbers(x).real * np.exp(1j * _numbers(x).imag),
}
for _dims, _ending in ((1, ""), (2, "2"), (3, "3")):
    FUNCTIONS["fft" + _ending] = lambda x, dims=_dims: fft.fftn(_complex(x, dims)) + 0j
    FUNCTIONS["ifft" + _ending] = lambda x, dims=_dims: fft.ifftn(_complex(x, dims)) + 0j
    FUNCTIONS["dct" + _ending] = lambda x, dims=_dims: fft.dctn(_real(x, dims), 2)
    FUNCTIONS["idct" + _ending] = lambda x, dims=_dims: fft.idctn(_real(x, dims), 2)
