-- gnuplot: plots of tensors. Calls are read here, figures are kept and drawn in t7shell/packages/gnuplot.

require 'torch'

local gnuplot = {}

for _, part in ipairs {
   'plot',         -- gnuplot.plot, splot, scatter3, imagesc
   'histogram',    -- gnuplot.hist, histc, bar
   'figure',       -- gnuplot.figure, pngfigure, ..., title, axis, ..., raw
} do
   require('gnuplot.' .. part)(gnuplot)
end

_G.gnuplot = gnuplot

return gnuplot
