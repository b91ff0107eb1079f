-- Argument names and examples of the operations in ops/conv.lua.

return {
   conv2 = { 'res image kernel region', 'res image kernel region', example = [[
      image, kernel = torch.range(1, 9):view(3, 3), torch.Tensor{{1, 0}, {0, 10}}
      torch.conv2(image, kernel)
      torch.conv2(image, kernel, 'F')]] },
   xcorr2 = { 'res image kernel region', 'res image kernel region', example = [[
      image, kernel = torch.range(1, 9):view(3, 3), torch.Tensor{{1, 0}, {0, 10}}
      torch.xcorr2(image, kernel)]] },
   conv3 = { 'res volume kernel region', 'res volume kernel region', example = [[
      volume, kernel = torch.range(1, 8):view(2, 2, 2), torch.Tensor{{{1, 10}}}
      torch.conv3(volume, kernel)]] },
   xcorr3 = { 'res volume kernel region', 'res volume kernel region', example = [[
      volume, kernel = torch.range(1, 8):view(2, 2, 2), torch.Tensor{{{1, 10}}}
      torch.xcorr3(volume, kernel)]] },
}
