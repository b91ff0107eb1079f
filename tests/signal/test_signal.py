"""signal against NumPy's Fourier transforms and sums of cosines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.runtimes import array, assert_error, runtime_fixture

lua = runtime_fixture("signal = require 'signal' torch.manualSeed(3)")


def numbers(values: Any) -> Any:
    return values[..., 0] + 1j * values[..., 1]


@pytest.mark.parametrize(("ending", "size"), [("", "7"), ("2", "4, 6"), ("3", "2, 3, 4")])
def test_fourier_transforms(lua: Runtime, ending: str, size: str) -> None:
    lua.execute(f"x, z = torch.randn({size}), torch.randn({size}, 2)")
    x, z = array(lua, "x"), numbers(array(lua, "z"))
    assert np.abs(numbers(array(lua, f"signal.fft{ending}(x)")) - np.fft.fftn(x)).max() < 1e-12
    assert np.abs(numbers(array(lua, f"signal.fft{ending}(z)")) - np.fft.fftn(z)).max() < 1e-12
    assert np.abs(numbers(array(lua, f"signal.ifft{ending}(z)")) - np.fft.ifftn(z)).max() < 1e-12
    assert np.abs(array(lua, f"signal.idct{ending}(signal.dct{ending}(x))") - x).max() < 1e-12
    assert lua.eval(f"signal.fft{ending}(x:float()):type()") == "torch.FloatTensor"


def test_real_transforms(lua: Runtime) -> None:
    lua.execute("x, m = torch.randn(8), torch.randn(5, 6)")
    x, m = array(lua, "x"), array(lua, "m")
    assert np.abs(numbers(array(lua, "signal.rfft(x)")) - np.fft.rfft(x)).max() < 1e-12
    assert np.abs(array(lua, "signal.irfft(signal.rfft(x))") - x).max() < 1e-12
    assert np.abs(numbers(array(lua, "signal.rfft2(m:t())")) - np.fft.rfft2(m.T)).max() < 1e-12
    k, n = np.mgrid[:8, :8]
    assert np.abs(array(lua, "signal.dct(x)") - 2 * np.cos(np.pi * k * (2 * n + 1) / 16) @ x).max() < 1e-12
    analytic = numbers(array(lua, "signal.hilbert(x)"))
    assert np.abs(analytic.real - x).max() < 1e-12 and np.abs(np.fft.fft(analytic)[5:]).max() < 1e-12
    wanted = np.fft.ifft(np.log(np.abs(np.fft.fft(x)))).real
    assert np.abs(array(lua, "signal.rceps(x)") - wanted).max() < 1e-12
    lua.execute("w = torch.range(0, 20):apply(function(v) return v % (2 * math.pi) end)")
    assert np.abs(array(lua, "signal.unwrap(w)") - np.arange(21)).max() < 1e-9


@pytest.mark.parametrize("window", ["rect", "hamming", "hann", "bartlett"])
def test_spectra_of_windows(lua: Runtime, window: str) -> None:
    lua.execute(f"x, w = torch.randn(50), '{window}'")
    lua.execute("s, h, p = signal.stft(x, 8, 3, w), signal.rstft(x, 8, 3, w), signal.spectrogram(x, 8, 3)")
    at = 2 * np.pi * np.arange(8) / 7
    shape = {
        "rect": np.ones(8), "hamming": 0.53836 - 0.46164 * np.cos(at), "hann": np.hanning(8),
        "bartlett": np.bartlett(8),
    }[window]  # fmt: skip
    x, found, half = array(lua, "x"), numbers(array(lua, "s")), numbers(array(lua, "h"))
    assert found.shape == (15, 8) and half.shape == (15, 5)
    for i, row in enumerate(found):
        assert np.abs(row - np.fft.fft(x[3 * i : 3 * i + 8] * shape)).max() < 1e-12
    assert np.abs(half - found[:, :5]).max() < 1e-12
    powers = np.abs(np.array([np.fft.rfft(x[i : i + 8]) for i in range(0, 43, 3)])) ** 2
    assert np.abs(array(lua, "p") - 10 * np.log(powers.T + 0.01)).max() < 1e-9


def test_windows(lua: Runtime) -> None:
    for name, wanted in {"hann": np.hanning, "blackman": np.blackman}.items():
        assert np.abs(array(lua, f"signal.{name}(7)") - wanted(7)).max() < 1e-12
        assert np.abs(array(lua, f"signal.{name}(6, 'periodic')") - wanted(7)[:6]).max() < 1e-12
    assert array(lua, "signal.blackman(1, 'periodic')").tolist() == [1]
    assert array(lua, "signal.blackmanharris(5)")[[0, 2]].tolist() == pytest.approx([6e-5, 1], abs=1e-9)


def test_rows_are_transformed(lua: Runtime) -> None:
    lua.execute("x, z = torch.randn(3, 6), torch.randn(3, 6, 2)")
    x, z = array(lua, "x"), numbers(array(lua, "z"))
    assert np.abs(numbers(array(lua, "signal.fftM(z)")) - np.fft.fft(z)).max() < 1e-12
    assert np.abs(numbers(array(lua, "signal.ifftM(z)")) - np.fft.ifft(z)).max() < 1e-12
    assert np.abs(numbers(array(lua, "signal.rfftM(x)")) - np.fft.rfft(x)).max() < 1e-12
    assert np.abs(array(lua, "signal.irfftM(signal.rfftM(x))") - x).max() < 1e-12
    assert np.abs(array(lua, "signal.irfft2(signal.rfft2(x))") - x).max() < 1e-12


def test_cepstra_and_back(lua: Runtime) -> None:
    lua.execute("c, n = signal.cceps(torch.Tensor{12, 2, 9, 16}) x = signal.icceps(c, n)")
    assert array(lua, "c").tolist() == pytest.approx([2.5213, -0.0386, -0.1402, 1.3211], abs=1e-4)
    assert array(lua, "x").tolist() == pytest.approx([12, 2, 9, 16])


def test_convolutions_and_wavelets(lua: Runtime) -> None:
    lua.execute("x = torch.range(1, 8) list, rest = signal.wavelet.dwt1d(x, signal.wavelet.haar1d())")
    assert array(lua, "signal.conv1d(x, torch.Tensor{1, 2}, 3)").tolist() == [5, 14, 23]
    assert array(lua, "signal.conv1d(x, torch.Tensor{1, 2}, 4, 'same')").tolist() == [5, 17]
    assert [array(lua, f"list[{i}]").tolist() for i in (1, 2, 3)] == [[-0.5] * 4, [-1, -1], [-2]]
    assert array(lua, "rest").tolist() == [4.5]


def test_complex_numbers(lua: Runtime) -> None:
    lua.execute("a, b, c = torch.randn(3, 2), torch.randn(3, 2), signal.complex")
    a, b = numbers(array(lua, "a")), numbers(array(lua, "b"))
    for call, wanted in {
        "real(a)": a.real, "imag(a)": a.imag, "abs(a)": np.abs(a), "angle(a)": np.angle(a),
    }.items():  # fmt: skip
        assert np.abs(array(lua, "c." + call) - wanted).max() < 1e-12
    lua.execute("m, n = torch.randn(2, 3, 2), torch.randn(3, 4, 2)")
    m, n = numbers(array(lua, "m")), numbers(array(lua, "n"))
    for call, wanted in {
        "exp(a)": np.exp(a), "mm(m, n)": m @ n, "diag(a)": np.diag(a), "diag(m)": np.diag(m),
        "conj(a)": a.conj(), "cmul(a, b)": a * b, "dot(a, b)": (a * b).sum(), "prod(a)": a.prod(),
        "polar2cart(c.cart2polar(a))": a,
    }.items():  # fmt: skip
        assert np.abs(numbers(array(lua, "c." + call)) - wanted).max() < 1e-12
    assert array(lua, "c.poly(torch.Tensor{1, 2})").tolist() == [1, -3, 2]
    # A tensor of one dimension holds real numbers, also if it has two.
    assert array(lua, "c.cmul(torch.Tensor{2, 3}, torch.Tensor{4, 5})").tolist() == [[8, 0], [15, 0]]
    assert array(lua, "c.cmul(torch.Tensor{2}, torch.Tensor{{4, 5}})").tolist() == [[8, 10]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("fft(torch.rand(3, 4))", "expected 1 dimensions, or 2 of which the last has 2 elements (got [3x4])"),
        ("fft(3)", "signal.fft: argument 1 must be a DoubleTensor or FloatTensor (got 3)"),
        ("fft(torch.Tensor())", "signal.fft: expected 1 dimensions"),
        ("stft(torch.rand(4), 5, 1)", "signal.stft: argument 1 must be a signal of at least 5"),
        ("stft(torch.rand(9))", "signal.stft: size must be a number (got nil)"),
        ("spectrogram(torch.rand(9), 5, {})", "signal.spectrogram: stride must be a number (got table {})"),
        ("stft(torch.rand(9), 5, 1, 'x')", "signal.stft: window must be one of 'bartlett'"),
        ("complex.abs(torch.rand(3))", "signal.complex.abs: complex numbers expected"),
    ],
)
def test_wrong_input(lua: Runtime, call: str, message: str) -> None:
    assert_error(lua, "signal." + call, message)
