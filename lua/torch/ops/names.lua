-- Names of dimensions. Operations on tensors that have them follow the rules of
-- features/dimension_names/names_layer.lua.

local function row(name, maker, doc)
   return { name, custom = 'dimension_naming.' .. maker, types = 'all', only = 'method', added = true, doc = doc }
end

return {
   row('setNames', 'set_names',
      "Gives the dimensions of x itself names, one each, '_' for none and '...' for those that stay; without arguments "
         .. 'they lose them.'),
   row('names', 'names', "A list of the names, '_' where a dimension has none."),
   row('refineNames', 'refine_names',
      "x, on the same memory, with names for dimensions that had none; '...' stands for dimensions that stay as they "
         .. 'are. A name cannot become another one.'),
   row('rename', 'rename',
      'x, on the same memory, with some names replaced, { old = new }, with other names for all, or with none.'),
   row('alignTo', 'align_to',
      "A view of x with its dimensions in the order of the names; of size 1 where x has none of a name. '...' stands "
         .. 'for those that are not listed.'),
   row('alignAs', 'align_as', 'A view of x with its dimensions in the order of the names of y, see alignTo.'),
}
