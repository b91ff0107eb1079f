-- dok: Torch7's first documentation tool. What scripts still call of it are its helpers for named arguments,
-- which live in xlua.

local xlua = require 'xlua'

local dok = { usage = xlua.usage, error = xlua.error, unpack = xlua.unpack, unpack_class = xlua.unpack_class }
rawset(_G, 'dok', dok)

return dok
