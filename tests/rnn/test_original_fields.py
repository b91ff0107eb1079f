"""Modules have the fields that methods of Torch7's packages read, so that files run there."""

from __future__ import annotations

import pytest

from t7shell import Runtime
from tests.runtimes import runtime_fixture

lua = runtime_fixture("require 'rnn' require 'nnx' require 'stn'")

TENSORS = {
    "SeqLSTM(2, 3)": "cell gates buffer1 buffer2 buffer3 grad_a_buffer h0 c0 grad_h0 grad_c0",
    "SeqLSTMP(2, 3, 2)": "cell gates buffer1 buffer2 buffer3 grad_a_buffer h0 c0 grad_h0 grad_c0",
    "SeqGRU(2, 3)": "gates buffer1 buffer2 buffer3 grad_a_buffer h0 grad_h0",
    "Recurrence(nn.Linear(2, 2), 2, 1)": "typeTensor",
    "SpatialClassifier(nn.Linear(2, 2))": "inputF inputT outputF gradOutputF gradOutputT gradInputF",
    "MultiSoftMax()": "_input _output _gradInput _gradOutput",
    "AffineGridGeneratorBHWD(3, 3)": "baseGrid batchGrid",
    "SoftMaxTree(3, {[1] = torch.IntTensor{2, 3}}, 1)": "_nodeBuffer _multiBuffer",
}


@pytest.mark.parametrize("module", TENSORS)
def test_buffers(lua: Runtime, module: str) -> None:
    lua.execute(f"""
    m, missing = nn.{module}, {{}}
    for name in string.gmatch('{TENSORS[module]}', '%S+') do
       if not torch.isTensor(m:float()[name]) or m[name]:type() ~= 'torch.FloatTensor' then
          table.insert(missing, name)
       end
    end
    """)
    assert lua.eval("table.concat(missing, ' ')") == ""


NUMBERS = {
    "SpatialReSamplingEx{owidth = 2, oheight = 2, mode = 'average'}": "mode_c=1 inputSize=4 outputSize=4",
    "SpatialUpSampling{dW = 2, dH = 2}": "inputSize=4 outputSize=4",
    "SpatialBinaryConvolution(2, 3, 3, 2)": "iwh=12 owh=18",
    "BiSequencerLM(nn.LSTM(2, 2))": "output=0 gradInput=0",
    # As the original prints it for this tree.
    "SoftMaxTree(2, {{2, 3, 4}, {5, 6, 7}, [7] = {8, 9}}, 1)": "maxFamilyPath=8 maxDept=3 batchSize=0",
}


@pytest.mark.parametrize("module", NUMBERS)
def test_numbers_and_lengths(lua: Runtime, module: str) -> None:
    lua.execute(f"""
    m, found = nn.{module}, {{}}
    for name in string.gmatch('{NUMBERS[module]}', '([%w_]+)=') do
       table.insert(found, name .. '=' .. (type(m[name]) == 'number' and m[name] or #m[name]))
    end
    """)
    assert lua.eval("table.concat(found, ' ')") == NUMBERS[module]


def test_fields_that_keep_their_types(lua: Runtime) -> None:
    """The types that the original has after a change of the type."""
    lua.execute("""
    local tree = nn.SoftMaxTree(2, {{2, 3}}, 1):float()
    local nce = nn.NCEModule(2, 2, 1, torch.ones(2)):float()
    types = {}
    for i, t in ipairs{tree.childParent, tree.parentIds, tree.weight, nce.unigrams, nce.weight} do
       types[i] = t:type()
    end
    types = table.concat(types, ' ')
    """)
    wanted = "torch.IntTensor torch.IntTensor torch.FloatTensor torch.DoubleTensor torch.FloatTensor"
    assert lua.eval("types") == wanted


@pytest.mark.parametrize("layer", ["SeqLSTM", "SeqGRU"])
def test_masks_that_are_buffers(lua: Runtime, layer: str) -> None:
    """Files of Element-Research have the mask of their last step, which must not stand for that of
    setZeroMask. The original masks the rows of zeros then."""
    lua.execute(f"""
    local m = nn.{layer}(3, 2)
    m.maskzero, m.zeroMask, m._zeroMask = true, torch.ByteTensor{{{{1}}, {{0}}, {{0}}}}, torch.ones(3, 1)
    local read, x = torch.deserialize(torch.serialize(m)), torch.ones(3, 1, 3)
    x[2]:zero()
    local function zeros()
       return table.concat(read:forward(x):eq(0):select(3, 1):clone():view(-1):totable(), ' ')
    end
    by_rows = zeros()
    read:setZeroMask(torch.ByteTensor{{{{0}}, {{0}}, {{1}}}})
    by_mask = zeros()
    """)
    assert lua.eval("by_rows") == "0 1 0"
    assert lua.eval("by_mask") == "0 0 1"


def test_repeaters_of_the_later_generation(lua: Runtime) -> None:
    """Their files have no `module`, and name the steps `seqlen`; the original prints them like this."""
    lua.execute("""
    local m = nn.Repeater(nn.RecGRU(2, 2), 3)
    m.module, m.rho, m.seqlen = nil, nil, 3
    local read = torch.deserialize(torch.serialize(m))
    text, steps = tostring(read), #read:forward(torch.ones(1, 2))
    """)
    line = "       V         V             V     "
    assert lua.eval("text").splitlines() == [
        "nn.Repeater {", "  [  input,    input,  ...,  input  ]", line, "  nn.RecGRU(2 -> 2)", line,
        "  [output(1),output(2),...,output(3)]", "}",
    ]  # fmt: skip
    assert lua.eval("steps") == 3
