-- Comparisons: 1 where they hold and 0 elsewhere, in a ByteTensor or in a given result of the operand's type.

local function comparison(name, ufunc, words)
   local number, tensor = { ufunc .. ' x v' }, { ufunc .. ' x y' }
   return { name,
      { '[B] t v', 'elementwise.compare', number }, { '[B] t t', 'elementwise.compare', tensor },
      { 'R t v', 'elementwise.compare_own', number }, { 'R t t', 'elementwise.compare_own', tensor },
      doc = '1 where an element is ' .. words .. ' a number or the element of a second tensor, else 0.' }
end

return {
   comparison('lt', 'less', 'less than'),
   comparison('le', 'less_equal', 'less than or equal to'),
   comparison('gt', 'greater', 'greater than'),
   comparison('ge', 'greater_equal', 'greater than or equal to'),
   comparison('eq', 'equal', 'equal to'),
   comparison('ne', 'not_equal', 'not equal to'),
   { 'equal', { 't t', 'reduce_axis.equal' },
      doc = 'Whether two tensors have the same sizes and elements.' },
}
