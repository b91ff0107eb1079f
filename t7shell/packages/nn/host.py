"""What `lua/nn/tools/export_onnx.lua` calls."""

FUNCTIONS = {"export": "t7shell.convert.onnx_model"}
