-- Modules that are made of modules.

return {
   { 'Container', 'Module' },
   { 'Sequential', 'Container' },
   { 'Concat', 'Container' },
   { 'DepthConcat', 'Concat' },
   { 'Parallel', 'Container' },
   { 'ConcatTable', 'Container' },
   { 'ParallelTable', 'Container' },
   { 'MapTable', 'Container' },
   { 'Decorator', 'Container' },
   { 'Bottle', 'Decorator' },
   { 'DontCast', 'Decorator' },
   { 'GPU', 'Decorator' },
   { 'NaN', 'Decorator' },
   { 'Profile', 'Decorator' },
   { 'WeightNorm', 'Decorator' },
}
