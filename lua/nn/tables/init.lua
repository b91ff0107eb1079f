-- Layers whose inputs or outputs are tables.

return {
   { 'CAddTable', 'Module', 'reduction' },
   { 'CMulTable', 'Module', 'reduction' },
   { 'CSubTable', 'Module', 'reduction' },
   { 'CDivTable', 'Module', 'reduction' },
   { 'CMaxTable', 'Module', 'extreme' },
   { 'CMinTable', 'Module', 'extreme' },
   { 'CAddTensorTable', 'Module' },
   { 'JoinTable', 'Module' },
   { 'SplitTable', 'Module' },
   { 'SelectTable', 'Module' },
   { 'NarrowTable', 'Module' },
   { 'FlattenTable', 'Module' },
   { 'MixtureTable', 'Module' },
   { 'PairwiseDistance', 'Module' },
   { 'DotProduct', 'Module' },
   { 'CosineDistance', 'Module' },
   { 'ZipTable', 'Module' },
   { 'ZipTableOneToMany', 'Module' },
}
