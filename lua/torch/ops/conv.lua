-- Convolutions and cross-correlations. The region is 'V' for the valid part, the default, or 'F' for the full one.

local function row(name, dimensions, mirrored, doc)
   local how = { dimensions = dimensions, mirrored = mirrored }
   return { name, { '[R] t t [s]', 'conv.make', how, only = 'function' },
      { 'R t t [s]', 'conv.make', how, only = 'method' }, doc = doc }
end

return {
   row('conv2', 2, true,
      "Convolution of images and kernels; images are rows and columns, planes first if there are some."),
   row('xcorr2', 2, false,
      "Cross-correlation of images and kernels: convolution with kernels that are not turned round."),
   row('conv3', 3, true,
      'Convolution of volumes and kernels; planes first if there are some.'),
   row('xcorr3', 3, false,
      'Cross-correlation of volumes and kernels: convolution with kernels that are not turned round.'),
}
