-- optnet.graphgen: require 'optnet.graphgen' returns the function that the package has.

return require('optnet').generateGraph
