-- iterm.dot: require 'iterm.dot' returns the function that the package has.

return require('iterm').dot
