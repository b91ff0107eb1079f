-- autograd: gradients of functions of tensors, numbers and nested tables of them, written in plain Lua with loops and
-- branches: df = grad(f); grads, result = df(params, ...).

local autograd = require 'autograd.main'
local torch = require 'torch'

autograd.VERSION, autograd.LICENSE = '0.1', 'BSD 3-Clause'

require 'autograd.operations'
require 'autograd.legacy_functions'(torch)

return autograd
