-- Names of dimensions. features/dimension_names/names_layer.lua has the rules of operations on named tensors.

local function row(name, factory, doc, calls, example)
   local signatures = {}
   for i, call in ipairs(calls) do signatures[i] = { '', call } end
   return { name, custom = 'dimension_naming.' .. factory, types = 'all', only = 'method', added = true, doc = doc,
      signatures = signatures, example = example }
end

return {
   row('setNames', 'set_names',
      "Gives the dimensions of x itself names, one each, '_' for none and '...' for those that stay; without arguments "
         .. 'they lose them.',
      { "x:setNames('rows', 'columns', ...)", 'x:setNames(list)', 'x:setNames()' }, [[
         x = torch.Tensor{{1, 2}, {3, 4}}:setNames('rows', 'columns')
         x
         x:sum('rows')
         x:t():select('columns', 1)]]),
   row('names', 'names', "A list of the names, '_' where a dimension has none.",
      { 'x:names()' }, [[
         x = torch.zeros(2, 3):setNames('rows', '_')
         x:names()[1], x:names()[2] ]]),
   row('refineNames', 'refine_names',
      "x, on the same memory, with names for dimensions that had none; '...' stands for dimensions that stay as they "
         .. 'are. A name cannot become another one.',
      { "x:refineNames('...', 'rows', 'columns')" }, [[
         x = torch.zeros(1, 2, 2):refineNames('...', 'rows', 'columns')
         table.concat(x:names(), ' ')]]),
   row('rename', 'rename',
      'x, on the same memory, with some names replaced, { old = new }, with other names for all, or with none.',
      { "x:rename{old='new'}", "x:rename('a', 'b', ...)", 'x:rename()' }, [[
         x = torch.zeros(2, 3):setNames('rows', 'columns')
         table.concat(x:rename{rows = 'lines'}:names(), ' ')
         table.concat(x:rename():names(), ' ')]]),
   row('alignTo', 'align_to',
      "A view of x with its dimensions in the order of the names; of size 1 where x has none of a name. '...' stands "
         .. 'for those that are not listed.', { "x:alignTo('columns', '...')" }, [[
         x = torch.zeros(2, 3):setNames('rows', 'columns')
         y = x:alignTo('batch', 'columns', 'rows')
         y:size('batch'), y:size('columns'), y:size('rows')]]),
   row('alignAs', 'align_as', 'A view of x with its dimensions in the order of the names of y, see alignTo.',
      { 'x:alignAs(y)' }, [[
         weights = torch.ones(3):setNames('channels')
         image = torch.zeros(3, 4, 5):setNames('channels', 'rows', 'columns')
         weights:alignAs(image):size()]]),
}
