-- Comparisons: their results jump.

local rows = {}
for name in ('lt le gt ge eq ne equal'):gmatch '%a+' do rows[#rows + 1] = { name, constant = true } end
return rows
