"""The Python half of nn.

`FUNCTIONS` are those that `lua/nn/tools/export_onnx.lua` calls.
"""

FUNCTIONS = {"t7shell.convert.onnx_model": "export"}
