-- Convolutions and cross-correlations.

local function row(name)
   return { name, { 't t [s]', x = ("convolution_by(g, x, y, '%s', s, 1)"):format(name),
      y = ("convolution_by(g, x, y, '%s', s, 2)"):format(name) } }
end

return { row 'conv2', row 'xcorr2', row 'conv3', row 'xcorr3' }
