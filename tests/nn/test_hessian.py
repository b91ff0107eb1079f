"""nn.hessian: second derivatives against a computation by hand."""

from __future__ import annotations

from t7shell import Runtime


def test_the_third_vector_of_parameters_holds_the_diagonal() -> None:
    lua = Runtime()
    lua.execute("""
        require 'nn'
        nn.hessian.enable()
        net, loss = nn.Sequential():add(nn.Linear(2, 1)), nn.MSECriterion(false)
        net:initDiagHessianParameters()
        x, dx, ddx = net:getParameters()
        input, target = torch.Tensor{3, -0.5}, torch.Tensor{1}
        ddx:zero()
        loss:forward(net:forward(input), target)
        loss:updateDiagHessianInput(net.output, target)
        net:updateDiagHessianInput(input, loss.diagHessianInput)
        net:accDiagHessianParameters(input, loss.diagHessianInput)
    """)
    # (w1 x1 + w2 x2 + b - t)^2 has the second derivatives 2 x1^2, 2 x2^2 and 2.
    assert lua.eval("table.concat(ddx:totable(), ' ')") == "18 0.5 2"
    assert lua.eval("net:get(1).diagHessianBias[1]") == 2
    lua.execute("ddx:fill(7)")
    assert lua.eval("net:get(1).diagHessianWeight:sum()") == 14
    # Modules without a diagonal still have two.
    assert lua.eval("select('#', nn.Linear(2, 2):getParameters())") == 2
