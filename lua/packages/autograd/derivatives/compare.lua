-- Comparisons, whose results are constant almost everywhere.

local rows = {}
for name in string.gmatch('lt le gt ge eq ne equal', '%a+') do rows[#rows + 1] = { name, constant = true } end
return rows
