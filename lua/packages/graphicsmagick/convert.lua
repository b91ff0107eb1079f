-- graphicsmagick.convert: gm.convert, as programs require it alone.

return require('gm').convert
