-- Random numbers. In expressions w is an integer of 32 random bits, u the same number in [0, 1), and z a normally
-- distributed number.

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
-- 1 where u is at most a, without an unpredictable branch.
local bernoulli = { value = 'floor((a - u) * 0.5) + 1', prepare = distributions.probability }
local geometric = { value = 'floor(log(1 - u) / a) + 1', prepare = distributions.failure }

local function sized(name)
   return {
      { 'torch.' .. name .. '([res,] [generator,] rows, columns, ...)', 'res:' .. name .. '(rows, columns, ...)' },
      { 'torch.' .. name .. '([res,] [generator,] sizes)', 'res:' .. name .. '(sizes)' },
   }
end

-- A distribution of numbers, as a function of the generator, and of tensors to be filled. As in the original, the
-- parameters of tensors are numbers of the type, so those of Floats are rounded.
local function real(name, arguments, options, doc, args, example)
   options.of_type = true
   return { name, { '[G] ' .. arguments, 'random.distributions.number', options, only = 'function' },
      { 'R [G] ' .. arguments, 'random.distributions.fill', options }, types = 'real',
      doc = doc, args = args, example = example }
end

return {
   { 'random', { '[G]', 'random.distributions.number', any, only = 'function' },
      { '[G] v', 'random.distributions.number', upper, only = 'function' },
      { '[G] v v', 'random.distributions.number', bounds, only = 'function' },
      { 'R [G]', 'random.distributions.fill', any }, { 'R [G] v', 'random.distributions.fill', upper },
      { 'R [G] v v', 'random.distributions.fill', bounds },
      doc = 'Whole numbers from 1 to n, from a to b, or over the range of the type.',
      args = { '', 'n', 'a b', '', 'n', 'a b' }, example = [[
         torch.manualSeed(1)
         torch.random(), torch.random(6), torch.random(10, 12)
         torch.IntTensor(3):random(6)]] },
   real('uniform', '[v=0] [v=1]', { value = 'u * b + a', copied = 'a == 0 and b == 1', prepare = distributions.width },
      'Numbers uniformly distributed over [a, b).', 'a b', [[
         torch.manualSeed(1)
         torch.uniform(), torch.uniform(10, 20)
         torch.Tensor(2):uniform(-1, 1)]]),
   real('normal', '[v=0] [v=1]', { value = 'z * b + a', pairs = true, prepare = distributions.deviation },
      'Normally distributed numbers of a mean and a standard deviation.',
      'mean deviation', [[
         torch.manualSeed(1)
         torch.normal(), torch.normal(100, 5)
         torch.Tensor(1000):normal(100, 5):mean()]]),
   real('exponential', 'v', { value = 'a * log(1 - u)', prepare = distributions.rate },
      'Exponentially distributed numbers of rate lambda.',
      'lambda', [[
         torch.manualSeed(1)
         torch.Tensor(1000):exponential(2):mean()]]),
   real('cauchy', '[v=0] [v=1]', { value = 'a + b * tan(3.141592653589793 * (u - 0.5))' },
      'Cauchy distributed numbers of a median and a width sigma.',
      'median sigma', [[
         torch.manualSeed(1)
         torch.Tensor(1001):cauchy(5, 0.1):median()[1] ]]),
   real('logNormal', '[v=1] [v=2]', { value = 'exp(z * b + a)', pairs = true, prepare = distributions.deviation },
      'Numbers whose logarithm is normally distributed, of a mean and a standard deviation.',
      'mean deviation', [[
         torch.manualSeed(1)
         torch.Tensor(1000):logNormal(1, 0.1):log():mean()]]),
   { 'geometric', { '[G] v', 'random.distributions.number', geometric, only = 'function' },
      { 'R [G] v', 'random.distributions.fill', geometric },
      doc = 'Whole numbers n from 1 on, each with probability (1 - p) p^(n - 1).',
      args = 'p', example = [[
         torch.manualSeed(1)
         torch.Tensor(5):geometric(0.5)]] },
   { 'bernoulli', { '[G] [v=0.5]', 'random.distributions.number', bernoulli, only = 'function' },
      { 'R [G] [v=0.5]', 'random.distributions.fill', bernoulli },
      { 'R [G] t', 'random.distributions.bernoulli_float', types = 'Float' },
      { 'R [G] t', 'random.distributions.bernoulli_double', types = 'Double' },
      { 'R [G] D', 'random.distributions.bernoulli_double', types = 'Byte Char Short Int Long Float' },
      { 'R [G] F', 'random.distributions.bernoulli_float', types = 'Byte Char Short Int Long Double' },
      doc = '1 with probability p, else 0; p is a number, or a tensor of one for each element.',
      args = 'p', example = [[
         torch.manualSeed(1)
         torch.Tensor(1000):bernoulli(0.25):mean()
         torch.ByteTensor(3):bernoulli(torch.Tensor{0, 1, 1})]] },
   { 'rand', custom = 'random.distributions.rand', sizes = true, types = 'real',
      doc = 'A tensor of the given sizes with numbers uniformly distributed over [0, 1).',
      signatures = sized 'rand', example = [[
         torch.manualSeed(1)
         torch.rand(2, 2)]] },
   { 'randn', custom = 'random.distributions.randn', sizes = true, types = 'real',
      doc = 'A tensor of the given sizes with normally distributed numbers of mean 0 and deviation 1.',
      signatures = sized 'randn', example = [[
         torch.manualSeed(1)
         torch.randn(2, 2)]] },
   { 'randperm', { '[R] [G] n', 'random.permutation.randperm', only = 'function' },
      { 'R [G] n', 'random.permutation.randperm', only = 'method' },
      doc = 'The whole numbers from 1 to n in random order.', example = [[
         torch.manualSeed(1)
         torch.randperm(5)]] },
   { 'multinomial', { '[L] [G] t n [b]', 'random.categorical.multinomial', only = 'function' },
      { 'L [G] t n [b]', 'random.categorical.multinomial', only = 'method' }, types = 'real',
      doc = 'Draws n categories, counted from 1, by the weights in a vector or in each row of a matrix, '
         .. 'with replacement if asked for.',
      signatures = {
         { 'torch.multinomial([res,] [generator,] p, n [, replacement])', 'p.multinomial(res, p, n [, replacement])' },
      }, example = [[
         torch.manualSeed(1)
         torch.multinomial(torch.Tensor{0.1, 0, 0.9}, 5, true)]] },
   { 'multinomialAliasSetup_', { 't [L] [t]', 'random.categorical.alias_setup', several = true, only = 'function' },
      { 't L t', 'random.categorical.alias_setup', several = true, only = 'method' }, types = 'real',
      doc = 'The two tables for multinomialAlias_ of a vector of probabilities, all above 0.',
      signatures = { { 'torch.multinomialAliasSetup_(p [, index] [, q])', 'p:multinomialAliasSetup_(index, q)' } },
      example = [[
         index, q = torch.multinomialAliasSetup_(torch.Tensor{0.25, 0.25, 0.5})
         q]] },
   { 'multinomialAlias_', { 'L [G] L t', 'random.categorical.alias_draw' }, types = 'real',
      doc = 'Fills a LongTensor with categories drawn by two tables of multinomialAliasSetup_, as '
         .. 'torch.multinomialAlias(res, {index, q}) does. As in Torch7 an alias comes out one too low, so that the '
         .. 'draws do not follow the probabilities; those of multinomial do.',
      signatures = { { '', 'q.multinomialAlias_(res, [generator,] index, q)' } }, example = [[
         torch.manualSeed(1)
         index, q = torch.multinomialAliasSetup_(torch.Tensor{0.25, 0.25, 0.5})
         res = q.multinomialAlias_(torch.LongTensor(1000), index, q)
         res:min(), res:max()]] },
}
