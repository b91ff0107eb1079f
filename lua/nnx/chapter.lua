-- Classes of nnx that are loaded when they are first used.

return {
   { 'Minus', 'Module', 'few_lines' },
   { 'Probe', 'Module', 'few_lines' },
   { 'Tic', 'Module', 'few_lines' },
   { 'Toc', 'Module', 'few_lines' },
   { 'FunctionWrapper', 'Module', 'few_lines' },
   { 'SaturatedLU', 'Module', takes = 'number? number? number? number?' },
   { 'MultiSoftMax', 'Module' },
   { 'PixelSort', 'Module' },
   { 'PushTable', 'Module', takes = 'size' },
   { 'PullTable', 'Module', takes = 'module size' },
   { 'SpatialPadding', 'Module', takes = 'number? number? number? number? number? number?' },
   { 'SpatialUpSampling', 'Module' },
   { 'SpatialDownSampling', 'Module' },
   { 'SpatialMaxSampling', 'Module' },
   { 'SuperCriterion', 'Criterion' },
   { 'DistNLLCriterion', 'Criterion' },
   { 'CTCCriterion', 'Criterion', takes = 'any?' },
}
