"""Functions that `lua/loadcaffe` calls.

======  ==========================================================================================
read    (prototxt, caffemodel) -> reader of a list of layers, described in `layers.py`; or (nil, message)
======  ==========================================================================================
"""

FUNCTIONS = {"read": "t7shell.packages.loadcaffe.layers"}
