-- Calls and examples of the operations in ops/names.lua.

return {
   setNames = { forms = { { '', "x:setNames('rows', 'columns', ...)" }, { '', 'x:setNames(list)' },
      { '', 'x:setNames()' } }, example = [[
      x = torch.Tensor{{1, 2}, {3, 4}}:setNames('rows', 'columns')
      x
      x:sum('rows')
      x:t():select('columns', 1)]] },
   names = { forms = { { '', 'x:names()' } }, example = [[
      x = torch.zeros(2, 3):setNames('rows', '_')
      x:names()[1], x:names()[2] ]] },
   refineNames = { forms = { { '', "x:refineNames('...', 'rows', 'columns')" } }, example = [[
      x = torch.zeros(1, 2, 2):refineNames('...', 'rows', 'columns')
      table.concat(x:names(), ' ')]] },
   rename = { forms = { { '', "x:rename{old='new'}" }, { '', "x:rename('a', 'b', ...)" }, { '', 'x:rename()' } },
      example = [[
      x = torch.zeros(2, 3):setNames('rows', 'columns')
      table.concat(x:rename{rows = 'lines'}:names(), ' ')
      table.concat(x:rename():names(), ' ')]] },
   alignTo = { forms = { { '', "x:alignTo('columns', '...')" } }, example = [[
      x = torch.zeros(2, 3):setNames('rows', 'columns')
      y = x:alignTo('batch', 'columns', 'rows')
      y:size('batch'), y:size('columns'), y:size('rows')]] },
   alignAs = { forms = { { '', 'x:alignAs(y)' } }, example = [[
      weights = torch.ones(3):setNames('channels')
      image = torch.zeros(3, 4, 5):setNames('channels', 'rows', 'columns')
      weights:alignAs(image):size() ]] },
}
