"""unsup: clusters and components against NumPy, gradients by finite differences, optimal codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.runtimes import array, assert_error, runtime_fixture

from ..finite_differences import GRADIENTS

Lua = Callable[[str], str]


lua7 = runtime_fixture("unsup = require 'unsup' torch.manualSeed(3)", GRADIENTS)


def test_every_name(lua7: Runtime) -> None:
    names = """AutoEncoder ConvPSD FistaL1 LinearFistaL1 LinearPSD PSD SparseAutoEncoder SpatialConvFistaL1
        UnsupModule UnsupTrainer inv_pca_layer inv_zca_layer kmeans pca pca_colour pca_layer pca_whiten pcacov
        zca_colour zca_layer zca_whiten"""
    for name in names.split():
        assert lua7.eval(f"unsup.{name} ~= nil"), name
    assert lua7.eval("_G.unsup == unsup and nn.Diag ~= nil")


@pytest.mark.parametrize("kind", ["Double", "Float"])
def test_components(lua7: Runtime, kind: str) -> None:
    lua7.execute(f"x = torch.{kind}Tensor(5, 40):normal():t()")
    x = array(lua7, "x").astype(float)
    values, _ = np.linalg.eigh(np.cov(x.T))
    lua7.execute("v, e = unsup.pca(x) w, f = unsup.pcacov(x)")
    close = 1e-4 if kind == "Float" else 1e-9
    assert np.abs(array(lua7, "v") - values[::-1]).max() < close
    assert np.abs(array(lua7, "w") - values).max() < close
    e, f = array(lua7, "e"), array(lua7, "f")
    assert np.abs(np.cov(x.T) @ e - e * values[::-1]).max() < close * 10
    assert np.abs(np.cov(x.T) @ f - f * values).max() < close * 10


@pytest.mark.parametrize("kind", ["pca", "zca"])
def test_whitening_and_back(lua7: Runtime, kind: str) -> None:
    lua7.execute(f"x = torch.randn(60, 4) * torch.randn(4, 4) + 3 y, m, P, Q = unsup.{kind}_whiten(x)")
    lua7.execute(f"again, back = unsup.{kind}_whiten(x, m, P, Q), unsup.{kind}_colour(y, m, P, Q)")
    lua7.execute(f"l = unsup.{kind}_layer(x, m, P, Q):forward(x)")
    lua7.execute(f"i, _, p2, q2 = unsup.inv_{kind}_layer(x) i = i:forward(y)")
    lua7.execute("same = p2:equal(P) and q2:equal(Q)")
    # Samples of several dimensions are rows.
    lua7.execute(f"wide = unsup.{kind}_whiten(x:view(60, 2, 2)) layer = unsup.{kind}_layer(x:view(60, 2, 2))")
    assert np.abs(array(lua7, "wide").reshape(60, 4) - array(lua7, "y")).max() == 0
    assert np.abs(array(lua7, "layer:forward(x:view(60, 2, 2))") - array(lua7, "wide")).max() < 1e-9
    assert lua7.eval("same") is True
    x, y, p = array(lua7, "x"), array(lua7, "y"), array(lua7, "P")
    assert np.abs(np.cov(y.T) - np.eye(4)).max() < 1e-3 and np.abs(y.mean(0)).max() < 1e-9
    assert np.abs(array(lua7, "back") - x).max() < 1e-9
    assert np.abs(array(lua7, "again") - y).max() == 0
    assert np.abs(array(lua7, "l") - y).max() < 1e-9 and np.abs(array(lua7, "i") - x).max() < 1e-9
    values, vectors = np.linalg.eigh(np.cov(x.T) + 1e-5 * np.eye(4))
    if kind == "zca":
        assert np.abs(p - vectors / np.sqrt(values) @ vectors.T).max() < 1e-9


def test_kmeans_is_lloyds_algorithm(lua7: Runtime) -> None:
    lua7.execute("""
    torch.manualSeed(7) x = torch.randn(50, 2, 3)
    first, seen = nil, {}
    c, n = unsup.kmeans(x, 4, 3, 7, function(i, c)
       if i == 0 then first = c:clone() end seen[#seen + 1] = i end)
    """)
    x, c = array(lua7, "x").reshape(50, 6), array(lua7, "first").reshape(4, 6)
    assert np.abs(np.linalg.norm(c, axis=1) - 1).max() < 1e-12
    total = np.zeros(4)
    for _ in range(3):
        nearest = ((x[:, None] - c) ** 2).sum(2).argmin(1)
        for k in range(4):
            if (nearest == k).any():
                c[k] = x[nearest == k].mean(0)
        total += np.bincount(nearest, minlength=4)
    assert np.abs(array(lua7, "c").reshape(4, 6) - c).max() < 1e-12
    assert array(lua7, "n").tolist() == total.tolist()
    assert lua7.eval("#seen") == 4 and lua7.eval("table.concat(seen)") == "0123"
    assert lua7.eval("select('#', unsup.kmeans(x, 2, 9, 50, function() return true end))") == 2


@pytest.mark.parametrize("size", ["5", "5, 4", "5, 2, 3", "5, 4, 2, 3"])
def test_diag(lua7: Runtime, size: str) -> None:
    lua7.execute(f"m, x = nn.Diag(5), torch.randn({size}) m.weight:normal() g = torch.randn({size})")
    shape = (5,) + (1,) * size.count(",")
    wanted = array(lua7, "x") * array(lua7, "m.weight").reshape(shape)
    assert np.abs(array(lua7, "m:forward(x)") - wanted).max() == 0
    lua7.execute("m:zeroGradParameters() m:backward(x, g)")
    lua7.execute("function loss() return m:forward(x):dot(g) end")
    assert lua7.eval("worst_difference(loss, {{x, m.gradInput}, {m.weight, m.gradWeight}})") < 1e-8


def test_features_of_diag_are_the_first_dimension(lua7: Runtime) -> None:
    lua7.execute("m, x = nn.Diag(3), torch.range(1, 6):view(2, 3) m.weight:copy(torch.Tensor{1, 2, 3})")
    lua7.execute("m:zeroGradParameters()")
    assert array(lua7, "m:forward(x)").tolist() == [[1, 2, 3], [8, 10, 12]]
    assert array(lua7, "m:backward(x, x)").tolist() == [[1, 2, 3], [8, 10, 12]]
    assert array(lua7, "m.gradWeight").tolist() == [14, 77, 0]


def gradients(lua: Runtime, parts: str) -> float:
    """The largest error of the gradients of `m` for the input x and the target y."""
    lua.execute("m:zeroGradParameters() m:updateOutput(x, y) m:updateGradInput(x, y)")
    lua.execute("m:accGradParameters(x, y)")
    return float(lua.eval(f"worst_difference(function() return (m:updateOutput(x, y)) end, {{{parts}}})"))


def test_autoencoders(lua7: Runtime) -> None:
    make = """
    encoder = nn.Sequential():add(nn.Linear(6, 4)):add(nn.Tanh()):add(nn.Diag(4)) decoder = nn.Linear(4, 6)
    first = encoder:get(1)
    x, y = torch.randn(6), torch.randn(6)
    """
    all_ = "{x, m.gradInput}, {decoder.weight, decoder.gradWeight}, {first.weight, first.gradWeight}"
    lua7.execute(make + "m = unsup.AutoEncoder(encoder, decoder, 0.7)")
    assert gradients(lua7, all_) < 1e-7
    wanted = 0.7 * ((array(lua7, "decoder.output") - array(lua7, "y")) ** 2).sum()
    assert abs(lua7.eval("m.output") - wanted) < 1e-12
    lua7.execute(make + "m = unsup.SparseAutoEncoder(encoder, decoder, 0.7, 0.3)")
    assert gradients(lua7, all_) < 1e-7
    assert lua7.eval("#m:parameters()") == 5
    lua7.execute("m = unsup.AutoEncoder(encoder, decoder, 1) kept = decoder.weight:clone() m:normalize()")
    assert np.abs(array(lua7, "decoder.weight") - array(lua7, "kept")).max() == 0
    lua7.execute("m.normalized = true m:normalize()")
    assert np.abs(np.linalg.norm(array(lua7, "decoder.weight"), axis=0) - 1).max() < 1e-9
    lua7.execute("w, v = decoder.bias:clone(), encoder:get(1).bias:clone() m:updateParameters{0.5, 0}")
    assert lua7.eval("(decoder.bias - w):abs():max()") == 0
    step = array(lua7, "v") - 0.5 * array(lua7, "encoder:get(1).gradBias")
    assert np.abs(array(lua7, "encoder:get(1).bias") - step).max() < 1e-12


def optimal(code: Any, gradient: Any, scale: float) -> float:
    """How far a code is from a minimum: the gradient is -scale sign(x), or smaller where x is 0."""
    zero = np.maximum(np.abs(gradient) - scale, 0)
    return float(np.where(code != 0, np.abs(gradient + scale * np.sign(code)), zero).max())


def test_sparse_codes_are_minima(lua7: Runtime) -> None:
    lua7.execute("""
    m = unsup.LinearFistaL1(6, 9, 0.2, {errthres = 0, maxiter = 2000, maxline = 50}) m:normalize()
    x = torch.randn(6) f, h = m:updateOutput(x)
    """)
    d, x, code = array(lua7, "m.D.weight"), array(lua7, "x"), array(lua7, "m.code")
    rest = d @ code - x
    assert optimal(code, 2 * d.T @ rest, 0.2) < 1e-4 and (code == 0).any()
    assert abs(lua7.eval("f") - (rest @ rest + 0.2 * np.abs(code).sum())) < 1e-9
    lua7.execute("m:zeroGradParameters() m:updateGradInput(x) m:accGradParameters(x)")
    assert np.abs(array(lua7, "m.D.gradWeight") - 2 * np.outer(rest, code)).max() < 1e-9


def test_predictive_sparse_decomposition(lua7: Runtime) -> None:
    lua7.execute("""
    m = unsup.LinearPSD(6, 8, 0.2, 0.5, {encoderType = 'tanh'}) x = torch.randn(6) f, h = m:updateOutput(x)
    m:zeroGradParameters() m:updateGradInput(x) m:accGradParameters(x)
    """)
    code, guess = array(lua7, "m.decoder.code"), array(lua7, "m.encoder.output")
    assert abs(lua7.eval("f - h[#h].F") - 0.5 * ((code - guess) ** 2).sum()) < 1e-12
    # With the code that was found, the encoder is a network with a squared error.
    lua7.execute("function loss() return 0.5 * (m.encoder:forward(x) - code):pow(2):sum() end")
    lua7.execute("code, w, e = m.decoder.code:clone(), m.encoder:get(1), m.encoder:get(3)")
    assert lua7.eval("worst_difference(loss, {{w.weight, w.gradWeight}, {e.weight, e.gradWeight}})") < 1e-7


def test_convolutional_codes(lua7: Runtime) -> None:
    """Costs are weighted by how many codes see a pixel."""
    lua7.execute("""
    m = unsup.ConvPSD(nn.tables.full(1, 3), 3, 2, 8, 7, 0.1, 1, {errthres = 0, maxiter = 500, maxline = 60})
    m:normalize() x = torch.randn(1, 7, 8) m:updateOutput(x)
    D, code = m.decoder.D, m.decoder.code
    g = D:updateGradInput(code, m.decoder.Fcost:updateGradInput(D:forward(code), x):div(2))
    """)
    assert array(lua7, "code").shape == (3, 6, 6)
    norms = np.sqrt((array(lua7, "D.weight") ** 2).sum((1, 2)))
    assert np.abs(norms - 1).max() < 1e-9
    assert optimal(array(lua7, "code"), array(lua7, "g"), 0.1) < 1e-3


def test_hessian_and_training(capfd: pytest.CaptureFixture[str]) -> None:
    lua = Runtime()
    lua.execute("""
    unsup = require 'unsup' torch.manualSeed(1) nn.hessian.enable()
    m = unsup.LinearPSD(4, 3, 0.1, 1) m:initDiagHessianParameters()
    local basis, data = torch.randn(3, 4), {}
    for i = 1, 4000 do local x = torch.randn(1, 3) * basis data[i] = {x[1], x[1]} end
    t = unsup.UnsupTrainer(m, data)
    local function loss()
       local sum = 0
       for i = 1, 40 do sum = sum + m:updateOutput(data[i][1]) end
       return sum
    end
    before, seen = loss(), 0
    function t.hookSample() seen = seen + 1 end
    t:train{maxiter = 400, eta = 0.02, statinterval = 200, hessian = true, hessiansamples = 40}
    after = loss()
    """)
    assert lua.eval("after < before") is True and lua.eval("seen") == 400
    assert "# iter= 200 eta= 0.02 current error= " in capfd.readouterr().out


def test_shrinkage(lua7: Runtime) -> None:
    assert array(lua7, "torch.Tensor{-2, -0.5, 0, 3}:shrinkage(1)").tolist() == [-1, 0, 0, 2]
    assert (
        array(lua7, "torch.cdiv(torch.ones(3), torch.Tensor{-1, -0.5, -0.0}:shrinkage(1))").tolist()
        == [np.inf] * 3
    )


def test_pca_whitening_takes_no_epsilon(lua7: Runtime) -> None:
    lua7.execute("x = torch.Tensor{{1, 2}, {3, 5}, {2, -1}}")
    lua7.execute(
        "function first(kind, e) local y = unsup[kind .. '_whiten'](x, nil, nil, nil, e) return y[1][1] end"
    )
    assert lua7.eval("first('pca', 0.5) == first('pca')") is True
    assert lua7.eval("first('zca', 0.5) == first('zca')") is False


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("unsup.kmeans(torch.rand(4), 2)", "kmeans: x must be a tensor of at least 2 dimensions"),
        ("unsup.kmeans(torch.rand(4, 2), 0)", "kmeans: k must be a whole number of at least 1 (got 0)"),
        ("unsup.pca(torch.rand(1, 2))", "pca: data must be at least 2 rows (got DoubleTensor [1x2])"),
        (
            "unsup.zca_whiten(torch.rand(3, 2), torch.rand(2), torch.rand(3, 3), torch.rand(2, 2))",
            "zca_whiten: P must be a tensor of",
        ),
        ("unsup.pca_layer(torch.rand(2))", "pca_layer: data must be a tensor of 2 to 8 dimensions"),
        (
            "unsup.LinearFistaL1(3, 0, 1)",
            "LinearFistaL1: outputSize must be a whole number of at least 1 (got 0)",
        ),
        ("unsup.PSD(nn.Linear(2, 2), 3, 1)", "PSD: decoder must be a module (got 3)"),
        ("unsup.AutoEncoder(nn.Linear(2, 2))", "AutoEncoder: decoder must be a module (got nil)"),
        (
            "unsup.SpatialConvFistaL1(nn.tables.full(2, 1), 3, 3, 2, 2, 1)",
            "inputs must be at least as large as the 3x3",
        ),
        (
            "nn.Diag(3):forward(torch.rand(4))",
            "Diag: input must be a tensor with 3 features in its first dimension",
        ),
    ],
)
def test_wrong_input(lua7: Runtime, call: str, message: str) -> None:
    assert_error(lua7, call, message)
