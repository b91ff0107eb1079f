-- The base classes of all modules and criterions, and the helpers of their fields.

return {
   title = 'Modules and criterions',
   { 'Module',
      summary = 'The base of all modules: forward and backward, parameters, types, copies and files.',
      shapes = 'any -> any' },
   { 'Criterion',
      summary = 'The base of all criterions: a loss of an input and a target, and its gradient.',
      shapes = 'any, any -> any' },
   functions = {
      { 'utils', 'utils', { 'recursiveType', 'recursiveResizeAs', 'recursiveFill', 'recursiveAdd', 'recursiveCopy',
         'addSingletonDimension', 'contiguousView', 'clear' } },
   },
}
