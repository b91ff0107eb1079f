-- encode_utf8(point): the bytes of a code point, an integer from 0 to 0x10FFFF.

local char, floor = string.char, math.floor

return function(point)
   if point < 0x80 then return char(point) end
   if point < 0x800 then return char(0xC0 + floor(point / 64), 0x80 + point % 64) end
   if point < 0x10000 then
      return char(0xE0 + floor(point / 4096), 0x80 + floor(point / 64) % 64, 0x80 + point % 64)
   end
   return char(0xF0 + floor(point / 2 ^ 18), 0x80 + floor(point / 4096) % 64, 0x80 + floor(point / 64) % 64,
      0x80 + point % 64)
end
