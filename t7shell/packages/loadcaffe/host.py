"""Functions that `lua/loadcaffe` calls.

======  ==========================================================================================
read    (prototxt, caffemodel) -> reader of what `graph.network` returns; or (nil, message)
======  ==========================================================================================
"""

FUNCTIONS = {"read": "t7shell.packages.loadcaffe.graph"}
