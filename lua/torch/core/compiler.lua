-- Limits of the JIT compiler. A step of a program with tensors is long for a loop of Lua: its operations become one
-- trace only if the trace may be long as well. See docs/decisions/0016.

local jit = require 'jit'

jit.opt.start('maxrecord=16000', 'maxirconst=4000', 'maxsnap=510', 'maxside=300', 'maxtrace=4000', 'maxmcode=8192',
   'loopunroll=60')
