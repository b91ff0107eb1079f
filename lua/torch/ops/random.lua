-- Random numbers. Expressions have w for 32 random bits as a whole number, u for the same in [0, 1), z for a
-- normally distributed number.

local distributions = require 'torch.random.distributions'

-- Gives the range of random() without bounds for each type.
local full = {
   Byte = 'band(w, 255)', Char = 'band(w, 127)', Short = 'band(w, 32767)', Int = 'band(w, 2147483647)',
   Long = 'w', Float = 'w % 16777217', Double = 'w',
}
local any = { value = 'w', full = full }
local bounded = 'w % b + a'
local upper = { value = bounded, prepare = distributions.upper }
local bounds = { value = bounded, prepare = distributions.bounds }
-- 1 where u is at most a, without a branch that would be taken at random.
local bernoulli = { value = 'floor((a - u) * 0.5) + 1', prepare = distributions.probability }
local geometric = { value = 'floor(log(1 - u) / a) + 1', prepare = distributions.failure }

-- A distribution of numbers, as a function of the generator, and of tensors to be filled.
local function real(name, arguments, how, doc)
   return { name, { '[G] ' .. arguments, 'random.distributions.number', how, only = 'function' },
      { 'R [G] ' .. arguments, 'random.distributions.fill', how }, types = 'real', doc = doc }
end

return {
   { 'random', { '[G]', 'random.distributions.number', any, only = 'function' },
      { '[G] v', 'random.distributions.number', upper, only = 'function' },
      { '[G] v v', 'random.distributions.number', bounds, only = 'function' },
      { 'R [G]', 'random.distributions.fill', any }, { 'R [G] v', 'random.distributions.fill', upper },
      { 'R [G] v v', 'random.distributions.fill', bounds },
      doc = 'Whole numbers from 1 to n, from a to b, or over the range of the type.' },
   real('uniform', '[v=0] [v=1]', { value = 'u * b + a', copied = 'a == 0 and b == 1', prepare = distributions.width },
      'Numbers uniformly distributed over [a, b).'),
   real('normal', '[v=0] [v=1]', { value = 'z * b + a', pairs = true, prepare = distributions.deviation },
      'Normally distributed numbers of a mean and a standard deviation.'),
   real('exponential', 'v', { value = 'a * log(1 - u)', prepare = distributions.rate },
      'Exponentially distributed numbers of rate lambda.'),
   real('cauchy', '[v=0] [v=1]', { value = 'a + b * tan(3.141592653589793 * (u - 0.5))' },
      'Cauchy distributed numbers of a median and a width sigma.'),
   real('logNormal', '[v=1] [v=2]', { value = 'exp(z * b + a)', pairs = true, prepare = distributions.deviation },
      'Numbers whose logarithm is normally distributed, of a mean and a standard deviation.'),
   { 'geometric', { '[G] v', 'random.distributions.number', geometric, only = 'function' },
      { 'R [G] v', 'random.distributions.fill', geometric },
      doc = 'Whole numbers n from 1 on, each with probability (1 - p) p^(n - 1).' },
   { 'bernoulli', { '[G] [v=0.5]', 'random.distributions.number', bernoulli, only = 'function' },
      { 'R [G] [v=0.5]', 'random.distributions.fill', bernoulli },
      { 'R [G] t', 'random.distributions.bernoulli_float', types = 'Float' },
      { 'R [G] t', 'random.distributions.bernoulli_double', types = 'Double' },
      { 'R [G] D', 'random.distributions.bernoulli_double', types = 'Byte Char Short Int Long Float' },
      { 'R [G] F', 'random.distributions.bernoulli_float', types = 'Byte Char Short Int Long Double' },
      doc = '1 with probability p, else 0; p is a number, or a tensor of one for each element.' },
   { 'rand', custom = 'random.distributions.rand', sizes = true, types = 'real',
      doc = 'A tensor of the given sizes with numbers uniformly distributed over [0, 1).' },
   { 'randn', custom = 'random.distributions.randn', sizes = true, types = 'real',
      doc = 'A tensor of the given sizes with normally distributed numbers of mean 0 and deviation 1.' },
   { 'randperm', { '[R] [G] n', 'random.permutation.randperm', only = 'function' },
      { 'R [G] n', 'random.permutation.randperm', only = 'method' },
      doc = 'The whole numbers from 1 to n in random order.' },
   { 'multinomial', { '[L] [G] t n [b]', 'random.categorical.multinomial', only = 'function' },
      { 'L [G] t n [b]', 'random.categorical.multinomial', only = 'method' }, types = 'real',
      doc = 'Draws n categories, counted from 1, by the weights in a vector or in each row of a matrix, '
         .. 'with replacement if asked for.' },
   { 'multinomialAliasSetup_', { 't [L t]', 'random.categorical.alias_setup', several = true }, types = 'real',
      doc = 'The two tables for multinomialAlias_ of a vector of probabilities, all above 0.' },
   { 'multinomialAlias_', { 'L [G] L t', 'random.categorical.alias_draw' }, types = 'real',
      doc = 'Fills a LongTensor with categories drawn by two tables of multinomialAliasSetup_, as '
         .. 'torch.multinomialAlias(res, {index, q}) does. As in Torch7 an alias comes out one too low, so that the '
         .. 'draws do not follow the probabilities; those of multinomial do.' },
}
