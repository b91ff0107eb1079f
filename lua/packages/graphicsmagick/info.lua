-- graphicsmagick.info: gm.info, as programs require it alone.

return require('gm').info
