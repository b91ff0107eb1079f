-- autograd.auto: the classes that AutoModule and AutoCriterion made, by name.

return {}
