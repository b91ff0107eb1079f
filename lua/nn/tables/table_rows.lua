-- Reductions of tables of tensors of one size to one tensor, one row each.
--
--    count      how many tensors there must be, where that is fixed
--    output     a program for z from x, the result so far, and y, the next tensor
--    gradients  programs for the gradInput of each tensor from x, the gradOutput, y and w, the tensors 1 and 2; where
--               there is one only it is for all
--    others     the gradInput of a tensor is gradOutput times the product of the others

return {
   CAddTable = { output = 'z = add x y', gradients = { 'z = add x 0' } },
   CMulTable = { output = 'z = multiply x y', others = true },
   CSubTable = { count = 2, output = 'z = subtract x y', gradients = { 'z = add x 0', 'z = multiply x -1' } },
   CDivTable = { count = 2, output = 'z = divide x y',
      gradients = { 'z = divide x w', 'a = multiply x y; a = divide a w; a = divide a w; z = multiply a -1' } },
}
