-- Convolutions and cross-correlations. The region is 'V' for the valid part, the default, or 'F' for the full one.

local function row(name, dimensions, mirrored, doc, volume, example)
   local options = { dimensions = dimensions, mirrored = mirrored }
   return { name, { '[R] t t [s]', 'convolution.make', options }, doc = doc,
      args = volume .. ' kernel region', example = example }
end

return {
   row('conv2', 2, true,
      "Convolution of an image and a kernel: the valid part, or with 'F' the full one. With planes first, "
         .. "each has its own kernel; kernels of four dimensions are one for each output and input plane.",
      'image', [[
         image, kernel = torch.range(1, 9):view(3, 3), torch.Tensor{{1, 0}, {0, 10}}
         torch.conv2(image, kernel)
         torch.conv2(image, kernel, 'F')]]),
   row('xcorr2', 2, false,
      "Cross-correlation of an image and a kernel: conv2 with a kernel that is not turned round.",
      'image', [[
         image, kernel = torch.range(1, 9):view(3, 3), torch.Tensor{{1, 0}, {0, 10}}
         torch.xcorr2(image, kernel)]]),
   row('conv3', 3, true, 'Convolution of a volume and a kernel, as conv2 with one more dimension.',
      'volume', [[
         volume, kernel = torch.range(1, 8):view(2, 2, 2), torch.Tensor{{{1, 10}}}
         torch.conv3(volume, kernel)]]),
   row('xcorr3', 3, false,
      'Cross-correlation of a volume and a kernel: conv3 with a kernel that is not turned round.',
      'volume', [[
         volume, kernel = torch.range(1, 8):view(2, 2, 2), torch.Tensor{{{1, 10}}}
         torch.xcorr3(volume, kernel)]]),
}
