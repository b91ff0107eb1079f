-- env: set up the environment of older programs, all of which exists from the start.

return {}
