-- distlearn: training on several nodes, over the trees of `ipc`.

local require = require

return { AllReduceSGD = require 'distlearn.AllReduceSGD', AllReduceEA = require 'distlearn.AllReduceEA' }
