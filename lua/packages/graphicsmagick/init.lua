-- graphicsmagick: the package gm under its longer name.

return require 'gm'
