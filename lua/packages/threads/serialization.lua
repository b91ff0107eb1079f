-- Another name of the scheme that copies.

return require 'threads.serialize'
