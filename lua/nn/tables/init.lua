-- Layers whose inputs or outputs are tables.

return {
   { 'CAddTable', 'Module', 'reduction' },
   { 'CMulTable', 'Module', 'reduction' },
   { 'CSubTable', 'Module', 'reduction' },
   { 'CDivTable', 'Module', 'reduction' },
   { 'CMaxTable', 'Module', 'extreme_tables' },
   { 'CMinTable', 'Module', 'extreme_tables' },
   { 'CAddTensorTable', 'Module' },
   { 'JoinTable', 'Module', takes = 'number number?' },
   { 'SplitTable', 'Module', takes = 'number number?' },
   { 'SelectTable', 'Module' },
   { 'NarrowTable', 'Module', takes = 'whole whole?' },
   { 'FlattenTable', 'Module' },
   { 'MixtureTable', 'Module', takes = 'number?' },
   { 'PairwiseDistance', 'Module', takes = 'number?' },
   { 'DotProduct', 'Module' },
   { 'CosineDistance', 'Module' },
   { 'ZipTable', 'Module' },
   { 'ZipTableOneToMany', 'Module' },
}
