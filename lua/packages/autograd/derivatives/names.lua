-- Names of dimensions: views of the same elements.

local rows = { { 'names', constant = true } }
for name in ('rename refineNames setNames'):gmatch '%a+' do
   rows[#rows + 1] = { name, { 't ...', x = 'g' } }
end
for name in ('alignTo alignAs'):gmatch '%a+' do
   rows[#rows + 1] = { name, { 't ...', x = 'aligned_back(g, out, x)' } }
end
return rows
