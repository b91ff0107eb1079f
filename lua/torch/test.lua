-- require 'torch.test', as programs load the tests of this installation before they run them.

return require('torch').test
