"""Modules and criterions of rnn, dpnn and nnx with wrong inputs, targets, parameters and states."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
CASES = int(os.environ.get("T7_FUZZ_NN", "600"))
FIRST = int(os.environ.get("T7_FUZZ_FIRST", "1"))

MODULES = [
    "Sequencer(nn.LSTM(3, 4))",
    "Sequencer(nn.FastLSTM(3, 4))",
    "Sequencer(nn.GRU(3, 4):maskZero(1))",
    "Sequencer(nn.Recurrent(4, nn.Linear(3, 4), nn.Linear(4, 4)))",
    "LSTM(3, 4)",
    "GRU(3, 4)",
    "SeqLSTM(3, 4)",
    "SeqGRU(3, 4)",
    "SeqLSTMP(3, 4, 2)",
    "SeqBRNN(3, 4)",
    "BiSequencer(nn.LSTM(3, 4))",
    "BiSequencerLM(nn.LSTM(3, 4))",
    "Repeater(nn.LSTM(3, 4), 3)",
    "MaskZero(nn.Linear(3, 2), 1)",
    "TrimZero(nn.Linear(3, 2), 1)",
    "LookupTableMaskZero(5, 3)",
    "SeqReverseSequence(1)",
    "SAdd(1)",
    "Clip(-1, 1)",
    "ArgMax(1)",
    "CategoricalEntropy()",
    "TotalDropout()",
    "SpatialRegionDropout()",
    "SpatialUniformCrop(2, 2)",
    "SpatialBinaryConvolution(3, 2, 2, 2)",
    "SpatialGlimpse(2, 2)",
    "ReinforceNormal(1)",
    "ReinforceGamma(1)",
    "PixelSort()",
    "MultiSoftMax()",
    "SpatialPadding(1, 2, 3, 4)",
    "SpatialUpSampling(2, 2)",
    "SpatialDownSampling(2, 2)",
    "PushTable(1)",
    "SaturatedLU()",
    "Balance()",
    "SpatialNormalization(3, torch.ones(3, 3))",
    "SpatialGraph{connex = 8, normalize = true}",
    "SpatialMatching(2, 2)",
    "SpatialRadialMatching(2)",
    "SpatialPyramid({1, 2}, {nn.SpatialConvolution(3, 2, 3, 3), nn.SpatialConvolution(3, 1, 3, 3)}, 3, 3)",
    "SpatialFovea(3, {1, 2}, {nn.SpatialConvolution(3, 2, 3, 3), nn.SpatialConvolution(3, 1, 3, 3)}, nil, 3)",
    "SpatialRecursiveFovea(3, {1, 2}, {nn.SpatialConvolution(4, 2, 3, 3), nn.SpatialConvolution(3, 1, 3, 3)},"
    " nil, 3)",
    "PyramidPacker(nn.SpatialConvolution(3, 2, 3, 3), {1, 0.5})",
    "PyramidUnPacker(nn.SpatialConvolution(3, 2, 3, 3))",
]
CRITERIONS = [
    "SequencerCriterion(nn.MSECriterion())",
    "RepeaterCriterion(nn.MSECriterion())",
    "MaskZeroCriterion(nn.MSECriterion(), 1)",
    "CTCCriterion()",
    "DistNLLCriterion()",
    "DistMarginCriterion()",
    "BinaryLogisticRegression()",
]


def test_wrong_calls_are_errors(tmp_path: Path) -> None:
    makes = ["package rnn", "package nnx", *(f"module {m}" for m in MODULES)]
    makes += [f"criterion {c}" for c in CRITERIONS]
    (tmp_path / "makes").write_text("\n".join(makes) + "\n")
    log = tmp_path / "log"
    command = [sys.executable, "-m", "t7shell", str(TESTS / "nn" / "fuzz.lua"), str(TESTS / "fuzz")]
    command += [str(tmp_path / "makes"), str(FIRST), str(FIRST + CASES - 1), str(log)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    last = log.read_text().splitlines()[-1]
    assert result.returncode == 0, f"{result.returncode} in {last}: {result.stderr}"
    faults = result.stdout.splitlines()[:-1]
    assert not faults, "\n".join(faults[:20])
    calls, succeeded = (int(word) for word in result.stdout.splitlines()[-1].split() if word.isdigit())
    assert calls > CASES and succeeded > CASES / 3
