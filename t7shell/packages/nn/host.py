"""The functions that `lua/nn/tools/export_onnx.lua` calls."""

FUNCTIONS = {"t7shell.convert.onnx_model": "export"}
