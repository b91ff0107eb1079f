-- graphicsmagick.Image: gm.Image, as programs require it alone.

return require('gm').Image
