-- The options that functions take in a table, by the names of the functions. Others raise an error, and `t7 check`
-- reports them.

local word_set = require 'torch.base.word_set'

local accepted_options = {}

for name, words in next, {
   ['torch.load'] = 'mode referenced unknown functions cuda',
   ['gm.convert'] = 'input output size quality rotate vflip hflip format verbose',
   ['display.configure'] = 'hostname host port',
} do
   accepted_options[name] = word_set(words)
end

return accepted_options
