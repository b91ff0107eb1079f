-- Names of dimensions: views of the same elements.

local rows = { { 'names', constant = true } }
for name in ('rename refineNames setNames alignTo alignAs'):gmatch '%a+' do
   rows[#rows + 1] = { name, { 't ...', x = 'g' } }
end
return rows
