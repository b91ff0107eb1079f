-- Methods of tensors without a row: views, copies, other types.

-- A view, whose gradient goes into the same part of zeros.
local function part(name) return { name, { 't ...', x = string.format("place(g, x, '%s', all)", name) },
   view = true } end

-- Other sizes of the same elements.
local function sizes(name, view)
   return { name, { 't ...', x = 'g:contiguous():viewAs(unwrap(x))' }, view = view }
end

local function kept(name) return { name, { 't ...', x = 'g' } } end

local rows = {
   part 'select', part 'narrow', part 'sub', part 'transpose', part 't', part 'permute',
   sizes('view', true), sizes('viewAs', true), sizes('squeeze', true), sizes('unsqueeze', true), sizes 'reshape',
   { 'expand', { 't ...', x = "like(g, x)" } },
   { 'expandAs', { 't ...', x = "like(g, x)" } },
   { 'repeatTensor', { 't ...', x = 'unrepeated(g, x)' } },
   { 'unfold', { 't d n n', x = 'folded_windows(g, x, d, n, n2)' } },
   { 'split', { 't n [d=1]', x = 'pieces_by(g, out, d)' }, parts = 'list' },
   { 'chunk', { 't n [d=1]', x = 'pieces_by(g, out, d)' }, parts = 'list' },
   kept 'clone', kept 'contiguous',
   { 'copy', { 't t', x = false, y = 'like(g, y)' }, changes = true },
   { 'fill', { 't v', x = false, v = 'sum(g)' }, changes = true },
   { 'zero', { 't', x = false }, changes = true },
   { 'typeAs', { 't t', x = 'g:typeAs(unwrap(x))', y = false } },
   { 'numel', constant = true },
   { 'totable', constant = true },
}
for name in string.gmatch('double float half real cuda', '%a+') do
   rows[#rows + 1] = { name, { 't', x = 'g:typeAs(unwrap(x))' } }
end
for name in string.gmatch('byte char short int long', '%a+') do rows[#rows + 1] = { name, constant = true } end
rows[#rows + 1] = { 'type', { 't s', x = 'g:typeAs(unwrap(x))' }, { 't', x = false } }
return rows
