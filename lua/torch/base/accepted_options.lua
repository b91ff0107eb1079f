-- The options that functions take in a table, by the names of the functions; others are refused, as `t7 check` tells.

local gmatch = string.gmatch

local accepted = {}

for name, words in next, {
   ['torch.load'] = 'mode referenced unknown functions cuda',
   ['gm.convert'] = 'input output size quality rotate vflip hflip format verbose',
   ['display.configure'] = 'hostname host port',
} do
   accepted[name] = {}
   for word in gmatch(words, '%a+') do accepted[name][word] = true end
end

return accepted
