-- The files of pictures that the last Torch7 read, PNG, JPEG, PPM and PGM, and why it rejected others. Under the
-- dialect th those are rejected here too, since loaders of data sets skip files that raise an error.

local original_formats = {}

local LOADERS = { jpg = 'jpg', jpeg = 'jpg', png = 'png', ppm = 'ppm', pgm = 'ppm' }

local function kind_of(head)
   if string.find(head, '^\255\216\255') then return 'jpg' end
   if string.find(head, '^\137PNG') then return 'png' end
   if string.find(head, '^P[2356]') then return 'ppm' end
end

-- Why each loader rejects a file of another kind.
local reasons = {
   png = function(_, path) return string.format('File %s is not recognized as a PNG file', path) end,
   jpg = function(head)
      if #head < 2 then return 'Empty input file' end
      return string.format('Not a JPEG file: starts with 0x%02x 0x%02x', string.byte(head, 1, 2))
   end,
   ppm = function(head)
      local number = string.match(head, '^P(.)')
      return number and 'unsupported magic number: P' .. number or 'corrupted file'
   end,
}

local function head_of(path)
   local file = io.open(path, 'rb')
   if not file then return nil end
   local head = file:read(4) or ''
   file:close()
   return head
end

-- The error for a file with the signature of a PNG that cannot be read; nil for other files.
function original_formats.damage(path)
   local head = head_of(path)
   return head and kind_of(head) == 'png' and 'Error during init_io: the header of the PNG is damaged' or nil
end

-- Why Torch7 rejected a file; nil if it could read it, or if the file does not exist. `wanted` is the extension of the
-- loader that a program calls, nil for image.load, which looks at the file's first bytes, then at its name.
function original_formats.refusal(path, wanted)
   local head = head_of(path)
   if not head then return nil end
   local kind = kind_of(head)
   local extension = string.match(path, '%.(%a+)$') or ''
   local loader = wanted or kind or LOADERS[string.lower(extension)]
   if not loader and extension == '' then return 'unable to determine image type for file' end
   if not loader then return 'unknown image type: ' .. extension end
   if loader ~= kind then return reasons[loader](head, path) end
end

return original_formats
