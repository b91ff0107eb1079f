-- Names of dimensions: views of the same elements.

local rows = { { 'names', constant = true } }
for name in string.gmatch('rename refineNames setNames', '%a+') do
   rows[#rows + 1] = { name, { 't ...', x = 'g' } }
end
for name in string.gmatch('alignTo alignAs', '%a+') do
   rows[#rows + 1] = { name, { 't ...', x = 'aligned_back(g, out, x)' } }
end
return rows
