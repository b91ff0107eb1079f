-- The folders of kernels that rows name by module alone: 'gather.index' is the function `index` of index/gather.lua.
-- Modules that are not listed are folders with an init.lua: elementwise, convolution and sort.

return {
   create = 'construct.create', join = 'construct.join',
   gather = 'index.gather', masked = 'index.masked', scatter = 'index.scatter', where = 'index.where',
   cumulative = 'reduce.cumulative', minmax = 'reduce.minmax', reduce_axis = 'reduce.reduce_axis',
   statistics = 'reduce.statistics',
   dimension_naming = 'shape.dimension_naming', shape_ops = 'shape.shape_ops',
   selection = 'sort.selection',
}
