-- Convolutions and cross-correlations.

local function row(name)
   return { name, { 't t [s]', x = string.format("convolution_by(g, x, y, '%s', s, 1)", name),
      y = string.format("convolution_by(g, x, y, '%s', s, 2)", name) } }
end

return { row 'conv2', row 'xcorr2', row 'conv3', row 'xcorr3' }
