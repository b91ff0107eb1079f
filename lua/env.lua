-- env: set up what programs of the time found in their surroundings; all of it is there from the start.

return {}
