-- Comparisons: 1 where they hold and 0 elsewhere, in a ByteTensor.

local function comparison(name, ufunc, sign, words)
   local with_number = { ufunc = ufunc, loop = 'a ' .. sign .. ' b and 1 or 0' }
   return { name,
      { '[B] t v', 'elementwise.compare_scalar', with_number }, { '[B] t t', 'elementwise.compare', with_number },
      { 'R t v', 'elementwise.compare_scalar_own', with_number }, { 'R t t', 'elementwise.compare_own', with_number },
      doc = '1 where an element is ' .. words .. ' a number or the element of a second tensor, else 0.' }
end

return {
   comparison('lt', 'less', '<', 'less than'),
   comparison('le', 'less_equal', '<=', 'less than or equal to'),
   comparison('gt', 'greater', '>', 'greater than'),
   comparison('ge', 'greater_equal', '>=', 'greater than or equal to'),
   comparison('eq', 'equal', '==', 'equal to'),
   comparison('ne', 'not_equal', '~=', 'not equal to'),
   { 'equal', { 't t', 'reduce.equal' },
      doc = 'Whether two tensors have the same sizes and elements.' },
}
