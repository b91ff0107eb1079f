-- Criterions that are a sum over elements, one row each.
--
--    loss       a program for z, the loss of an element, from x, the input, y, the target, and w, the weights
--    gradient   a program for z, its gradient with respect to x, times v
--    scale      the factor of the mean, or of 1 for the sum, in v
--    u          a function of the criterion for the number u of the programs
--    weighted   where there are weights: a weight for each element, or for each of a sample; without them the programs
--               are `plain_loss` and `plain_gradient`, which have no step that multiplies by w
--
-- The language of programs is explained at the top of torch/kernels/elementwise/fused.lua.

local criterion_rows = {}

criterion_rows.MSECriterion = {
   loss = 'a = subtract x y; z = multiply a a',
   gradient = 'a = subtract x y; z = multiply a v',
   scale = 2,
}

criterion_rows.AbsCriterion = {
   loss = 'a = subtract x y; z = absolute a',
   gradient = 'q = greater_equal x y; a = select q 1 -1; z = multiply a v',
}

criterion_rows.SmoothL1Criterion = {
   loss = 'a = subtract x y; a = absolute a; b = minimum a 1; c = multiply b b; c = multiply c 0.5; ' ..
      'a = subtract a b; z = add a c',
   gradient = 'a = subtract x y; a = maximum a -1; a = minimum a 1; z = multiply a v',
}

criterion_rows.DistKLDivCriterion = {
   -- Nothing where the target is 0.
   loss = 'a = fmax y 1e-30; a = log a; a = subtract a x; a = multiply a y; q = greater y 0; z = select q a 0',
   gradient = 'q = greater y 0; a = multiply y v; a = multiply a -1; z = select q a 0',
}

criterion_rows.SoftMarginCriterion = {
   -- log(1 + exp(-m)) = max(-m, 0) + log(1 + exp(-|m|)) of the margin m.
   loss = 'a = multiply x y; b = absolute a; b = multiply b -1; b = exp b; b = log1p b; ' ..
      'a = minimum a 0; z = subtract b a',
   gradient = 'a = multiply x y; a = exp a; a = add a 1; a = divide y a; a = multiply a -1; z = multiply a v',
}

criterion_rows.MarginCriterion = {
   u = function(c) return c.margin end,
   loss = 'a = multiply x y; a = subtract u a; z = maximum a 0',
   gradient = 'a = multiply x y; q = less a u; a = multiply y v; a = multiply a -1; z = select q a 0',
}

criterion_rows.BCECriterion = {
   weighted = true,
   -- Logarithms of 0 are kept away by 1e-12.
   plain_loss = 'a = add x 1e-12; a = log a; a = multiply a y; b = subtract 1 x; b = add b 1e-12; b = log b; ' ..
      'c = subtract 1 y; b = multiply b c; a = add a b; z = multiply a -1',
   plain_gradient = 'a = subtract x y; b = subtract 1 x; b = add b 1e-12; c = add x 1e-12; b = multiply b c; ' ..
      'a = divide a b; z = multiply a v',
   loss = 'a = add x 1e-12; a = log a; a = multiply a y; b = subtract 1 x; b = add b 1e-12; b = log b; ' ..
      'c = subtract 1 y; b = multiply b c; a = add a b; a = multiply a w; z = multiply a -1',
   gradient = 'a = subtract x y; b = subtract 1 x; b = add b 1e-12; c = add x 1e-12; b = multiply b c; ' ..
      'a = divide a b; a = multiply a w; z = multiply a v',
}

criterion_rows.MultiLabelSoftMarginCriterion = {
   parts = function(self, nn) self.lsm, self.nll = nn.Sigmoid(), nn.BCECriterion(self.weights) end,
   weighted = true,
   -- max(x, 0) - x y + log(1 + exp(-|x|)).
   plain_loss = 'a = absolute x; a = multiply a -1; a = exp a; a = log1p a; b = maximum x 0; a = add a b; ' ..
      'c = multiply x y; z = subtract a c',
   plain_gradient = 'a = sigmoid x; a = subtract a y; z = multiply a v',
   loss = 'a = absolute x; a = multiply a -1; a = exp a; a = log1p a; b = maximum x 0; a = add a b; ' ..
      'c = multiply x y; a = subtract a c; z = multiply a w',
   gradient = 'a = sigmoid x; a = subtract a y; a = multiply a w; z = multiply a v',
}

for _, row in pairs(criterion_rows) do
   if not row.weighted then row.plain_loss, row.plain_gradient = row.loss, row.gradient end
end

return criterion_rows
