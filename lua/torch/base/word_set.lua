-- word_set 'add sub': { add = true, sub = true }, from words that are separated by white space.

return function(text)
   local set = {}
   for word in string.gmatch(text, '%S+') do set[word] = true end
   return set
end
