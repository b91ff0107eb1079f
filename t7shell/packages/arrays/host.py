"""What `lua/torch/utility/array_calls.lua` calls.

=========  =======================================================================================
call       ('package.function', writer of a list of arguments) -> reader of a list of results, or
           (None, message)
=========  =======================================================================================
"""

FUNCTIONS = {"call": "t7shell.packages.arrays.calls"}
