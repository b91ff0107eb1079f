-- The files of derivatives, named for those of torch/ops/; `shape` has the methods of tensors without a row,
-- `operators` those of Values, and `own` the operations that formulas need.

return { 'math', 'arithmetic', 'compare', 'bits', 'reduce', 'construct', 'pick', 'matrix', 'linalg', 'conv', 'names',
   'random', 'shape', 'operators', 'own' }
