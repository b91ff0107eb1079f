-- Comparisons: 1 where they hold and 0 elsewhere, in a ByteTensor or in a given result of the operand's type.

local function comparison(name, sign, words, example)
   local number, tensor = { 'x ' .. sign .. ' v' }, { 'x ' .. sign .. ' y' }
   return { name,
      { '[B] t v', 'elementwise.compare', number }, { '[B] t t', 'elementwise.compare', tensor },
      { 'R t v', 'elementwise.compare_own', number }, { 'R t t', 'elementwise.compare_own', tensor },
      doc = '1 where an element is ' .. words .. ' a number or the element of a second tensor, else 0.',
      example = example }
end

return {
   comparison('lt', '<', 'less than', 'torch.lt(torch.Tensor{1, 2, 3}, 2)'),
   comparison('le', '<=', 'less than or equal to', 'torch.le(torch.Tensor{1, 2, 3}, 2)'),
   comparison('gt', '>', 'greater than', [[
         x = torch.Tensor{1, 2, 3}
         x:gt(torch.Tensor{0, 2, 4})
         x[x:gt(1)] ]]),
   comparison('ge', '>=', 'greater than or equal to', 'torch.ge(torch.Tensor{1, 2, 3}, 2)'),
   comparison('eq', '==', 'equal to', [[
         torch.eq(torch.Tensor{1, 2, 3}, torch.Tensor{3, 2, 1})
         torch.eq(torch.Tensor{1, 2}, 1):type(), torch.eq(torch.Tensor(), torch.Tensor{1, 2}, 1):type()]]),
   comparison('ne', '~=', 'not equal to', 'torch.ne(torch.Tensor{1, 2, 3}, 2):sum()'),
   { 'equal', { 't t', 'reduce_axis.equal' },
      doc = 'Whether two tensors have the same sizes and elements.', example = [[
         torch.equal(torch.ones(2, 2), torch.ones(2, 2)), torch.equal(torch.ones(4), torch.ones(2, 2))]] },
}
