"""Functions that `lua/nn/tools/export_onnx.lua` calls.

=========  ==================================================================================
export     (file of a network, path, shapes such as '1x3x8x8 1x5') -> largest difference, the same relative to
           the largest output; or (nil, message)
=========  ==================================================================================
"""

FUNCTIONS = {"export": "t7shell.convert.onnx_model"}
