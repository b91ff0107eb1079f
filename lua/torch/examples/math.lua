-- Argument names and examples of the operations in ops/math.lua.

return {
   exp = { example = [[
      torch.exp(torch.Tensor{0, 1})
      torch.exp(0)]] },
   sigmoid = { example = [[
      torch.sigmoid(torch.Tensor{0, 100, -100})]] },
   tanh = { example = [[
      torch.tanh(torch.Tensor{0, 1, -100})]] },
   abs = { example = [[
      torch.abs(torch.Tensor{-1.5, 2})
      torch.abs(-3)]] },
   neg = { example = [[
      torch.neg(torch.Tensor{-1.5, 2})]] },
   cinv = { example = [[
      torch.cinv(torch.Tensor{2, -4})]] },
   sqrt = { example = [[
      torch.sqrt(torch.Tensor{9, 2})
      torch.sqrt(-1)]] },
   rsqrt = { example = [[
      torch.rsqrt(torch.Tensor{4, 0.25})]] },
   log = { example = [[
      torch.log(torch.Tensor{1, 10})
      torch.log(0)]] },
   log1p = { example = [[
      torch.log1p(1e-20), torch.log(1 + 1e-20)]] },
   lgamma = { example = [[
      torch.lgamma(torch.Tensor{1, 5, 0.5}), math.log(24)]] },
   sin = { example = [[
      torch.sin(torch.Tensor{0, math.pi / 2, math.pi / 6})]] },
   cos = { example = [[
      torch.cos(torch.Tensor{0, math.pi, math.pi / 3})]] },
   tan = { example = [[
      torch.tan(torch.Tensor{0, math.pi / 4})]] },
   asin = { example = [[
      torch.asin(torch.Tensor{0, 1})
      torch.asin(2)]] },
   acos = { example = [[
      torch.acos(torch.Tensor{1, -1})]] },
   atan = { example = [[
      torch.atan(torch.Tensor{0, 1})]] },
   sinh = { example = [[
      torch.sinh(torch.Tensor{0, 1})]] },
   cosh = { example = [[
      torch.cosh(torch.Tensor{0, 1})]] },
   floor = { example = [[
      torch.floor(torch.Tensor{1.5, -1.5})]] },
   ceil = { example = [[
      torch.ceil(torch.Tensor{1.5, -1.5})]] },
   trunc = { example = [[
      torch.trunc(torch.Tensor{1.5, -1.5})]] },
   frac = { example = [[
      torch.frac(torch.Tensor{1.25, -1.25})]] },
   round = { example = [[
      torch.round(torch.Tensor{1.4, 2.5, -2.5})]] },
   sign = { example = [[
      torch.sign(torch.Tensor{-3, 0, 0.1})]] },
   atan2 = { 'res y x', 'y x', example = [[
      torch.atan2(torch.Tensor{1, -1}, torch.Tensor{1, -1}):div(math.pi)
      torch.atan2(1, 0)]] },
   pow = { 'res x exponent', 'res base x', 'base exponent', example = [[
      torch.pow(torch.Tensor{1, 2, 3}, 2)
      torch.pow(2, torch.Tensor{1, 2, 3})
      torch.pow(2, 10)]] },
   lerp = { 'res x y weight', 'x y weight', example = [[
      torch.lerp(torch.Tensor{0, 10}, torch.Tensor{4, 20}, 0.25)]] },
}
