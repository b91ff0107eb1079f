-- libipc: the name by which programs load the connections of torch-ipc.

return require 'ipc'
