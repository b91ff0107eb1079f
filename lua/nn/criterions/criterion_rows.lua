-- Criterions that are a sum over elements, one row each.
--
--    loss       a program for z, the loss of an element, from x, the input, y, the target, and w, the weights
--    gradient   a program for z, its gradient with respect to x, times v
--    scale      the factor of the mean, or of 1 for the sum, in v
--    u          a function of the criterion for the number u of the programs
--    range      the minimum and maximum of x: the loss of others is NaN, and raises an error
--    weighted   where there are weights: a weight for each element, or for each of a sample; without them the programs
--               are `plain_loss` and `plain_gradient`, which have no step that multiplies by w
--
-- The language of programs is explained at the top of torch/kernels/elementwise/fused.lua.

local criterion_rows = {}

criterion_rows.MSECriterion = {
   loss = 'a = x - y; z = a * a',
   gradient = 'z = (x - y) * v',
   scale = 2,
}

criterion_rows.AbsCriterion = {
   loss = 'z = absolute(x - y)',
   gradient = 'z = where(x - y >= 0, 1, -1) * v',
}

criterion_rows.SmoothL1Criterion = {
   loss = 'a = absolute(x - y); b = minimum(a, 1); z = a - b + b * b * 0.5',
   gradient = 'z = minimum(maximum(x - y, -1), 1) * v',
}

criterion_rows.DistKLDivCriterion = {
   -- Nothing where the target is 0.
   loss = 'z = where(y > 0, (log(fmax(y, 1e-30)) - x) * y, 0)',
   gradient = 'z = where(y > 0, -(y * v), 0)',
}

criterion_rows.SoftMarginCriterion = {
   -- log(1 + exp(-m)) = max(-m, 0) + log(1 + exp(-|m|)) of the margin m.
   loss = 'a = x * y; z = log1p(exp(-absolute(a))) - minimum(a, 0)',
   gradient = 'z = -(y / (exp(x * y) + 1)) * v',
}

criterion_rows.MarginCriterion = {
   u = function(c) return c.margin end,
   loss = 'a = u - x * y; z = where(a > 0, a, 0)',
   gradient = 'z = where(x * y < u, -(y * v), 0)',
}

criterion_rows.BCECriterion = {
   weighted = true,
   range = { 0, 1 },
   -- Logarithms of 0 are kept away by 1e-12.
   plain_loss = 'z = -(log(x + 1e-12) * y + log(1 - x + 1e-12) * (1 - y))',
   plain_gradient = 'z = (x - y) / ((1 - x + 1e-12) * (x + 1e-12)) * v',
   loss = 'z = -((log(x + 1e-12) * y + log(1 - x + 1e-12) * (1 - y)) * w)',
   gradient = 'z = (x - y) / ((1 - x + 1e-12) * (x + 1e-12)) * w * v',
}

criterion_rows.MultiLabelSoftMarginCriterion = {
   -- Releases of the original have had these parts, and then the last one alone.
   parts = function(self, nn)
      self.lsm, self.nll = nn.Sigmoid(), nn.BCECriterion(self.weights)
      self.sigmoid = self.lsm
   end,
   weighted = true,
   -- max(x, 0) - x y + log(1 + exp(-|x|)).
   plain_loss = 'z = log1p(exp(-absolute(x))) + maximum(x, 0) - x * y',
   plain_gradient = 'z = (sigmoid(x) - y) * v',
   loss = 'z = (log1p(exp(-absolute(x))) + maximum(x, 0) - x * y) * w',
   gradient = 'z = (sigmoid(x) - y) * w * v',
}

for _, row in pairs(criterion_rows) do
   if not row.weighted then row.plain_loss, row.plain_gradient = row.loss, row.gradient end
end

return criterion_rows
