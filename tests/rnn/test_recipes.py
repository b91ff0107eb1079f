"""Programs in the style of the time: visual attention, a model of letters, a translator."""

from __future__ import annotations

from t7shell import Runtime


def test_recurrent_visual_attention() -> None:
    """The agent of the paper, on pictures whose bright corner is the class."""
    lua = Runtime()
    lua.execute("""
        require 'rnn' require 'optim'
        torch.manualSeed(6)
        local hidden = 24
        local locationSensor = nn.Sequential():add(nn.SelectTable(2)):add(nn.Linear(2, 8)):add(nn.ReLU())
        local glimpseSensor = nn.Sequential()
           :add(nn.DontCast(nn.SpatialGlimpse(4, 2, 2):float(), true)):add(nn.Collapse(3))
           :add(nn.Linear(4 * 4 * 2, hidden)):add(nn.ReLU())
        local glimpse = nn.Sequential():add(nn.ConcatTable():add(locationSensor):add(glimpseSensor))
           :add(nn.JoinTable(1, 1)):add(nn.Linear(hidden + 8, hidden)):add(nn.ReLU())
           :add(nn.Linear(hidden, hidden))
        local rnn = nn.Recurrent(hidden, glimpse, nn.Linear(hidden, hidden), nn.ReLU(), 99999)
        local locator = nn.Sequential():add(nn.Linear(hidden, 2)):add(nn.HardTanh())
           :add(nn.ReinforceNormal(0.4, false)):add(nn.HardTanh()):add(nn.MulConstant(0.8))
        attention = nn.RecurrentAttention(rnn, locator, 4, {hidden})
        agent = nn.Sequential():add(nn.Convert('bchw', 'bchw')):add(attention):add(nn.SelectTable(-1))
           :add(nn.Linear(hidden, 4)):add(nn.LogSoftMax())
        local baseline = nn.Sequential():add(nn.Constant(1, 1)):add(nn.Add(1))
        local both = nn.ConcatTable():add(nn.Identity()):add(baseline)
        agent:add(nn.ConcatTable():add(nn.Identity()):add(both))
        loss = nn.ParallelCriterion(true)
           :add(nn.ModuleCriterion(nn.ClassNLLCriterion(), nil, nn.Identity()))
           :add(nn.ModuleCriterion(nn.VRClassReward(agent, 1), nil, nn.Identity()))
        local function batch()
           local x, z = torch.rand(20, 1, 12, 12):mul(0.3), torch.LongTensor(20):random(1, 4)
           for i = 1, 20 do
              local row, column = math.floor((z[i] - 1) / 2) * 7 + 1, (z[i] - 1) % 2 * 7 + 1
              x[i][1]:narrow(1, row, 5):narrow(2, column, 5):add(1)
           end
           return x, z
        end
        text = tostring(agent)
        local w, g = agent:getParameters()
        local state = {}
        agent:training()
        for i = 1, 250 do
           local x, z = batch()
           local output = agent:forward(x)
           loss:forward(output, z)
           agent:zeroGradParameters()
           agent:backward(x, loss:backward(output, z))
           agent:gradParamClip(5)
           optim.adam(function() return 0, g end, w, {learningRate = 0.01}, state)
        end
        agent:evaluate()
        local x, z = batch()
        local _, class = agent:forward(x)[1]:max(2)
        right = class:view(-1):eq(z):double():mean()
        locations = attention.actions
        copy = torch.deserialize(torch.serialize(agent))
        same = copy:forward(x)[1]:equal(agent:forward(x)[1])
    """)
    assert lua.eval("right") > 0.8 and lua.eval("#locations") == 4 and lua.eval("same") is True
    assert "nn.RecurrentAttention {" in lua.eval("text")


def test_letters_with_parameters_of_optim() -> None:
    lua = Runtime()
    lua.execute("""
        require 'rnn' require 'optim'
        torch.manualSeed(1)
        local text = torch.LongTensor{1, 2, 3, 4, 3, 2}:repeatTensor(20)
        local net = nn.Sequential():add(nn.LookupTable(4, 8)):add(nn.SplitTable(1))
           :add(nn.Sequencer(nn.Sequential():add(nn.LSTM(8, 12)):add(nn.GRU(12, 12)):add(nn.Linear(12, 4))
           :add(nn.LogSoftMax())))
        local criterion = nn.SequencerCriterion(nn.ClassNLLCriterion())
        net:remember('both')
        local w, g = net:getParameters()
        for epoch = 1, 25 do
           net:forget()
           for at = 1, 100, 5 do
              local x, z = text:narrow(1, at, 5):view(5, 1), {}
              for t = 1, 5 do z[t] = text:narrow(1, at + t, 1) end
              optim.adam(function()
                 g:zero()
                 local y = net:forward(x)
                 last = criterion:forward(y, z) / 5
                 net:backward(x, criterion:backward(y, z))
                 return last, g
              end, w, {learningRate = 0.01}, state or {})
              state = state or {}
           end
        end
    """)
    assert lua.eval("last") < 0.2


def test_a_translator_reverses_words() -> None:
    """Encoder and decoder with padded words: the state goes over and its gradient comes back."""
    lua = Runtime()
    lua.execute("""
        require 'rnn' require 'optim'
        torch.manualSeed(2)
        local size, hidden = 5, 24
        enc = nn.Sequential():add(nn.LookupTableMaskZero(size, hidden))
           :add(nn.SeqLSTM(hidden, hidden):maskZero())
        dec = nn.Sequential():add(nn.LookupTableMaskZero(size + 1, hidden))
           :add(nn.SeqLSTM(hidden, hidden):maskZero())
           :add(nn.Sequencer(nn.MaskZero(nn.Linear(hidden, size), 1)))
           :add(nn.Sequencer(nn.MaskZero(nn.LogSoftMax(), 1)))
        encoder, decoder = enc:get(2), dec:get(2)
        local criterion = nn.SequencerCriterion(nn.MaskZeroCriterion(nn.ClassNLLCriterion(), 1))
        local all = nn.Container():add(enc):add(dec)
        local w, g = all:getParameters()
        w:uniform(-0.15, 0.15)
        -- Zeros stand before a word and behind its translation; size + 1 begins a translation.
        local function batch(n)
           local x, y, z = torch.zeros(3, n), torch.zeros(3, n), torch.zeros(3, n)
           for i = 1, n do
              local length, before = torch.random(2, 3), size + 1
              local word = {}
              for t = 1, length do word[t] = torch.random(size) x[3 - length + t][i] = word[t] end
              for t = 1, length do y[t][i], z[t][i] = before, word[length + 1 - t] before = z[t][i] end
           end
           return x, y, z
        end
        local state = {}
        for i = 1, 300 do
           local x, y, z = batch(16)
           optim.adam(function()
              g:zero()
              enc:forward(x)
              decoder.userPrevOutput = nn.rnn.recursiveCopy(decoder.userPrevOutput, encoder.output[3])
              decoder.userPrevCell = nn.rnn.recursiveCopy(decoder.userPrevCell, encoder.cell[3])
              local out = dec:forward(y)
              loss = criterion:forward(out, z)
              dec:backward(y, criterion:backward(out, z))
              local copy = nn.rnn.recursiveCopy
              encoder.userNextGradCell = copy(encoder.userNextGradCell, decoder.userGradPrevCell)
              encoder.gradPrevOutput = copy(encoder.gradPrevOutput, decoder.userGradPrevOutput)
              enc:backward(x, torch.zeros(3, 16, hidden))
              return loss, g
           end, w, {learningRate = 0.01}, state)
        end
    """)
    assert lua.eval("loss") < 0.5
