-- What all modules and criterions inherit, and the helpers of their fields.

return {
   { 'Module' },
   { 'Criterion' },
   functions = {
      { 'utils', 'utils', { 'recursiveType', 'recursiveResizeAs', 'recursiveFill', 'recursiveAdd', 'recursiveCopy',
         'addSingletonDimension', 'contiguousView', 'clear' } },
   },
}
