-- Reductions of tables of tensors of one size to one tensor, one row each.
--
--    count      how many tensors there must be, where that is fixed
--    output     a program for z from x, the result so far, and y, the next tensor
--    gradients  programs for the gradInput of each tensor from x, the gradOutput, y and w, the tensors 1 and 2; where
--               there is one only it is for all
--    others     the gradInput of a tensor is gradOutput times the product of the others

return {
   CAddTable = { output = 'z = x + y', gradients = { 'z = x + 0' } },
   CMulTable = { output = 'z = x * y', others = true },
   CSubTable = { count = 2, output = 'z = x - y', gradients = { 'z = x + 0', 'z = -x' } },
   CDivTable = { count = 2, output = 'z = x / y',
      gradients = { 'z = x / w', 'z = (0 - x / w / w) * y' } },
}
