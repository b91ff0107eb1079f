"""nn.THNN: the functions that modules of other people call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.conftest import Run


def test_each_function_gives_the_results_of_its_module(t7: Run) -> None:
    run = t7(str(Path(__file__).parent / "thnn.lua"))
    assert run.stderr == ""
    assert run.stdout == "64\n"


def test_functions_whose_arguments_are_no_fields(t7: Run) -> None:
    run = t7(str(Path(__file__).parent / "thnn_by_hand.lua"))
    assert run.stderr == ""
    assert run.stdout == "48\n"


def test_modules_require_it_alone(t7: Run) -> None:
    source = """local THNN, y = require 'nn.THNN', torch.Tensor()
    torch.Tensor{3}.THNN.Square_updateOutput(torch.Tensor{3}:cdata(), y:cdata())
    assert(y[1] == 9 and THNN.optionalTensor(nil) == nil and require('nn').THNN == THNN)"""
    assert t7("-e", source).stderr == ""


def test_bad_arguments_are_refused(lua: Callable[[str], str]) -> None:
    for call, problem in {
        "IndexLinear_updateOutput(torch.LongTensor{7}, -1, t, torch.LongTensor{1}, nil, y, w, b, y, 0)": (
            "keys must be from 1 to 2 (got 7)"
        ),
        "SparseLinear_updateOutput(t, y, w, b)": (
            "input must be elements x 3, or batch x elements x 2 (got DoubleTensor [1])"
        ),
        "SpatialFractionalMaxPooling_updateOutput(torch.rand(2, 4, 4), y, 2, 2, 2, 2, y:long(), t)": (
            "randomSamples must be of size 1x2x2 (got DoubleTensor [1])"
        ),
        "SpatialMaxUnpooling_updateOutput(torch.rand(1, 1, 1), y, torch.LongTensor{9}:view(1, 1, 1), 2, 2)": (
            "indices must be those of elements of the output"
        ),
        "LookupTable_renorm(torch.LongTensor{3}, w, 1, 2)": "indices must be from 1 to 2 (got 3)",
    }.items():
        source = f"""
        require 'nn'
        local t, y, w, b = torch.Tensor{{1}}, torch.Tensor(), torch.rand(2, 1), torch.rand(1)
        print(select(2, pcall(function() t.THNN.{call} end)))
        """
        assert problem in lua(source)


MINE = """
require 'nn'
local Mine, parent = torch.class('nn.Mine', 'nn.Module')
function Mine:updateOutput(input)
   input.THNN.Threshold_updateOutput(input:cdata(), self.output:cdata(), 1, 5, false)
   return self.output
end
function Mine:updateGradInput(input, gradOutput)
   local x, gy, gx = input:cdata(), gradOutput:cdata(), self.gradInput:cdata()
   input.THNN.Threshold_updateGradInput(x, gy, gx, 1, 5, false)
   return self.gradInput
end
local module, x = nn.Mine():float(), torch.FloatTensor{ 0, 1, 2, 3 }
print(table.concat(module:forward(x):totable(), ' '))
print(table.concat(module:backward(x, torch.FloatTensor{ 1, 2, 3, 4 }):totable(), ' '))
"""


def test_a_module_that_is_written_with_it(t7: Run) -> None:
    run = t7("-e", MINE)
    assert run.stderr == ""
    assert run.stdout == "5 5 2 3\n0 0 3 4\n"


def test_what_is_there(t7: Run) -> None:
    source = """
    require 'cunn'
    local THNN = nn.THNN
    print(THNN.optionalTensor(nil), THNN.optionalTensor(torch.rand(2)) ~= nil, torch.LongTensor().THNN)
    print(THNN.kernels['torch.FloatTensor'] == torch.FloatTensor().THNN, torch.rand(1).THNN.None_updateOutput)
    local y = torch.CudaTensor()
    torch.CudaTensor{ -1, 2 }.THNN.Abs_updateOutput(torch.CudaTensor{ -1, 2 }, y)
    print(y:sum(), pcall(torch.rand(1).THNN.Abs_updateOutput, y))
    """
    assert t7("-e", source).stdout.splitlines() == [
        "nil\ttrue\tnil",
        "true\tnil",
        "3\tfalse\t(command line):8: THNN.Abs_updateOutput: arguments must be input, output (got 1)",
    ]


def test_errors_name_the_class(t7: Run) -> None:
    source = """
    require 'nn'
    local x, y, indices = torch.ones(1, 2, 2), torch.Tensor(), torch.LongTensor(1, 2, 2):fill(9)
    print(pcall(x.THNN.SpatialMaxUnpooling_updateOutput, x, y, indices, 2, 2))
    """
    message = "SpatialMaxUnpooling: indices must be those of elements of the output"
    assert t7("-e", source).stdout == f"false\t(command line):4: {message}\n"
