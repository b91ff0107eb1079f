"""nn.hessian: second derivatives against a computation by hand."""

from __future__ import annotations

import pytest

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


def test_the_diagonal_of_a_linear_map_is_exact() -> None:
    lua = Runtime()
    lua.execute("""
        require 'nn'
        nn.hessian.enable()
        l = nn.Linear(2, 2)
        l.weight:copy(torch.Tensor{{1, 2}, {3, 4}})
        function row(field)
           return table.concat(nn.Jacobian.linearModuleDiagHessian(l, torch.ones(2), field):totable(), ' ')
        end
        m = nn.SpatialConvolutionMap(nn.tables.full(2, 2), 3, 3)
        worst = 0
        for _, name in ipairs{'Input', 'Weight', 'Bias'} do
           worst = math.max(worst, nn.Jacobian['testDiagHessian' .. name](m, torch.zeros(2, 5, 5)))
        end
    """)
    # Of 1/2 (y1^2 + y2^2): 1 + 9 and 4 + 16; inputs of one.
    assert lua.eval("row 'gradInput'") == "10 20"
    assert lua.eval("row 'gradWeight'") == "1 1 1 1" and lua.eval("row 'gradBias'") == "1 1"
    assert lua.eval("worst") < 1e-9


def test_modules_of_programs_use_its_functions() -> None:
    lua = Runtime()
    lua.execute("""
        require 'nn'
        before = nn.hessian.accDiagHessianParameters
        nn.hessian.enable()
        local Scale = torch.class('nn.ScaleForHessian', 'nn.CMul')
        function Scale:updateDiagHessianInput(input, d)
           nn.hessian.updateDiagHessianInput(self, input, d, {'weight'}, {'weightSq'})
           return self.diagHessianInput
        end
        function Scale:accDiagHessianParameters(input, d)
           nn.hessian.accDiagHessianParameters(self, input, d, {'gradWeight'}, {'diagHessianWeight'})
        end
        function Scale:initDiagHessianParameters()
           nn.hessian.initDiagHessianParameters(self, {'gradWeight'}, {'diagHessianWeight'})
        end
        m = nn.ScaleForHessian(2)
        m.weight:copy(torch.Tensor{2, 3})
        m:initDiagHessianParameters()
        x = torch.Tensor{5, 7}
        m:forward(x)
        m:updateGradInput(x, x)
        d = table.concat(m:updateDiagHessianInput(x, torch.ones(2)):totable(), ' ')
        m:accDiagHessianParameters(x, torch.ones(2))
        w = table.concat(m.diagHessianWeight:totable(), ' ')
        kept = table.concat(m.weight:totable(), ' ') .. ' ' .. table.concat(m.output:totable(), ' ')
    """)
    assert lua.eval("before") is None
    assert (lua.eval("d"), lua.eval("w"), lua.eval("kept")) == ("4 9", "25 49", "2 3 10 21")
    lua.execute("_, why = pcall(nn.Max(1).updateDiagHessianInput, nn.Max(1))")
    assert "updateDiagHessianInput is undefined" in lua.eval("why")


def test_curvatures_of_shrinkage_and_absolute_values() -> None:
    """The numbers that the original prints."""
    lua = Runtime()
    lua.execute("""
        require 'nn'
        nn.hessian.enable()
        local x = torch.Tensor{0.5, -1, 2}
        local m = nn.TanhShrink()
        m:forward(x)
        shrunk = m:updateDiagHessianInput(x, torch.ones(3)):totable()
        of_cost = table.concat(nn.L1Cost():updateDiagHessianInput(torch.Tensor{2, 0, -3}):totable(), ' ')
    """)
    assert list(lua.eval("shrunk").values()) == pytest.approx([1.6185, 1.1764, 1.0050], abs=6e-5)
    assert lua.eval("of_cost") == "1 0 1"
