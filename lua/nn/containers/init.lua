-- Modules that are made of modules.

return {
   { 'Container', 'Module' },
   { 'Sequential', 'Container' },
   { 'Concat', 'Container', takes = 'number' },
   { 'DepthConcat', 'Concat' },
   { 'Parallel', 'Container', takes = 'number number' },
   { 'ConcatTable', 'Container' },
   { 'ParallelTable', 'Container' },
   { 'MapTable', 'Container' },
   { 'Decorator', 'Container' },
   { 'Bottle', 'Decorator', takes = 'module number? number?' },
   { 'DontCast', 'Decorator' },
   { 'GPU', 'Decorator' },
   { 'NaN', 'Decorator' },
   { 'Profile', 'Decorator', takes = 'module number? any?' },
   { 'WeightNorm', 'Decorator', takes = 'module number?' },
}
