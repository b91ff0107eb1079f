"""Proxies: calls with one go to the package that declared their kind; others cost and change nothing."""

from __future__ import annotations

import pytest

from t7shell import Runtime
from tests.runtimes import assert_error, runtime_fixture

lua = runtime_fixture("""
    require 'cutorch'
    ffi, proxies = require 'ffi', require 'torch.base.proxies'
    ffi.cdef 'typedef struct { double value; } test_proxy;'
    function declare()
       Proxy = ffi.metatype('test_proxy', {__tostring = function() return 'proxy' end})
       proxies.declare(Proxy, function(name, how, ...)
          return ('%s %s %d'):format(name, how, select('#', ...))
       end)
    end
    if not Proxy then declare() end
    p = Proxy(1)""")


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("torch.add(p, 1)", "add function 2"),
        ("torch.cmul(torch.ones(2), p)", "cmul function 2"),
        ("torch.ones(2):dot(p)", "dot method 2"),
        ("torch.cat({p, torch.ones(2)}, 1)", "cat function 2"),
        ("torch.view(p, 2, 3)", "view function 3"),
        ("torch.HalfTensor(2):cosh(p)", "cosh method 2"),
        ("torch.CudaTensor(2):cmul(p)", "cmul method 2"),
    ],
)
def test_calls_go_to_the_package(lua: Runtime, call: str, shown: str) -> None:
    assert lua.eval(call) == shown


def test_other_calls_fail_as_before(lua: Runtime) -> None:
    assert_error(lua, "torch.add('x', 1)", "add: invalid arguments")
    assert_error(lua, "torch.view({}, 1)", "view: argument 1 must be a tensor")
    assert lua.eval("proxies.is(p) and not proxies.is(3) and not proxies.among(1, {2}, torch.ones(2))")
