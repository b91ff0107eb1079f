-- Argument names and examples of the operations in ops/bits.lua.

return {
   bitand = { example = [[
      torch.bitand(torch.IntTensor{12, 7}, 10)]] },
   bitor = { example = [[
      torch.bitor(torch.IntTensor{12, 7}, 10)]] },
   bitxor = { example = [[
      torch.bitxor(torch.IntTensor{12, 7}, 10)]] },
   cbitand = { example = [[
      torch.cbitand(torch.IntTensor{12, 7}, torch.IntTensor{4, 3})]] },
   cbitor = { example = [[
      torch.cbitor(torch.IntTensor{12, 7}, torch.IntTensor{1, 8})]] },
   cbitxor = { example = [[
      torch.cbitxor(torch.IntTensor{12, 7}, torch.IntTensor{4, 8})]] },
   lshift = { example = [[
      torch.lshift(torch.ByteTensor{1, 255}, 1)
      torch.lshift(torch.Tensor{1.5}, 2)]] },
   rshift = { example = [[
      torch.rshift(torch.ByteTensor{4, 255}, 1)]] },
   clshift = { example = [[
      torch.clshift(torch.IntTensor{1, 1}, torch.IntTensor{3, 10})]] },
   crshift = { example = [[
      torch.crshift(torch.IntTensor{100, 100}, torch.IntTensor{1, 2})]] },
}
