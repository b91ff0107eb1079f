-- Shifts by a number of bits scale; the bits themselves have no derivative.

local rows = {
   { 'lshift', { 't v', x = 'mul(g, pow(2, v))', v = 'mul(inner(g, out), math.log(2))' } },
   { 'rshift', { 't v', x = 'div(g, pow(2, v))', v = 'mul(inner(g, out), -math.log(2))' } },
   { 'clshift', { 't t', x = 'mul(g, pow(2, y))', y = 'mul(mul(g, out), math.log(2))' } },
   { 'crshift', { 't t', x = 'div(g, pow(2, y))', y = 'mul(mul(g, out), -math.log(2))' } },
}
for name in string.gmatch('bitand bitor bitxor cbitand cbitor cbitxor', '%a+') do
   rows[#rows + 1] = { name, none = 'it works on integers' }
end
return rows
