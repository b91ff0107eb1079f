-- Argument names and examples of the operations in ops/random.lua.

local function sized(name)
   return {
      { 'torch.' .. name .. '([res,] [generator,] rows, columns, ...)', 'res:' .. name .. '(rows, columns, ...)' },
      { 'torch.' .. name .. '([res,] [generator,] sizes)', 'res:' .. name .. '(sizes)' },
   }
end

return {
   random = { '', 'generator n', 'generator a b', '', 'res generator n', 'res generator a b', example = [[
      torch.manualSeed(1)
      torch.random(), torch.random(6), torch.random(10, 12)
      torch.IntTensor(3):random(6)]] },
   uniform = { 'generator a b', 'res generator a b', example = [[
      torch.manualSeed(1)
      torch.uniform(), torch.uniform(10, 20)
      torch.Tensor(2):uniform(-1, 1)]] },
   normal = { 'generator mean deviation', 'res generator mean deviation', example = [[
      torch.manualSeed(1)
      torch.normal(), torch.normal(100, 5)
      torch.Tensor(1000):normal(100, 5):mean()]] },
   exponential = { 'generator lambda', 'res generator lambda', example = [[
      torch.manualSeed(1)
      torch.Tensor(1000):exponential(2):mean()]] },
   cauchy = { 'generator median sigma', 'res generator median sigma', example = [[
      torch.manualSeed(1)
      torch.Tensor(1001):cauchy(5, 0.1):median()[1] ]] },
   logNormal = { 'generator mean deviation', 'res generator mean deviation', example = [[
      torch.manualSeed(1)
      torch.Tensor(1000):logNormal(1, 0.1):log():mean()]] },
   geometric = { 'generator p', 'res generator p', example = [[
      torch.manualSeed(1)
      torch.Tensor(5):geometric(0.5)]] },
   bernoulli = { 'generator p', 'res generator p', 'res generator p', 'res generator p', 'res generator p',
      'res generator p', example = [[
      torch.manualSeed(1)
      torch.Tensor(1000):bernoulli(0.25):mean()
      torch.ByteTensor(3):bernoulli(torch.Tensor{0, 1, 1})]] },
   rand = { forms = sized 'rand', example = [[
      torch.manualSeed(1)
      torch.rand(2, 2)]] },
   randn = { forms = sized 'randn', example = [[
      torch.manualSeed(1)
      torch.randn(2, 2)]] },
   randperm = { example = [[
      torch.manualSeed(1)
      torch.randperm(5)]] },
   multinomial = { forms = {
      { 'torch.multinomial([res,] [generator,] p, n [, replacement])', 'p.multinomial(res, p, n [, replacement])' },
   }, example = [[
      torch.manualSeed(1)
      torch.multinomial(torch.Tensor{0.1, 0, 0.9}, 5, true)]] },
   multinomialAliasSetup_ = { forms = {
      { 'torch.multinomialAliasSetup_(p [, index, q])', 'p:multinomialAliasSetup_([index, q])' },
   }, example = [[
      index, q = torch.multinomialAliasSetup_(torch.Tensor{0.25, 0.25, 0.5})
      q]] },
   multinomialAlias_ = { forms = {
      { '', 'q.multinomialAlias_(res, [generator,] index, q)' },
   }, example = [[
      torch.manualSeed(1)
      index, q = torch.multinomialAliasSetup_(torch.Tensor{0.25, 0.25, 0.5})
      res = q.multinomialAlias_(torch.LongTensor(1000), index, q)
      res:min(), res:max()]] },
}
