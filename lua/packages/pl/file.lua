-- pl.file: whole files.

local path, utils = require 'pl.path', require 'pl.utils'

local file = { read = utils.readfile, write = utils.writefile }

file.access_time, file.creation_time, file.modified_time = path.getatime, path.getctime, path.getmtime

local function fill(from, to, mode)
   local text, message = utils.readfile(from, true)
   if not text then return false, message end
   local target, why = io.open(to, mode)
   if not target then return false, why end
   target:write(text)
   target:close()
   return true
end

-- Copies a file; with flag false it must not be there yet.
function file.copy(from, to, flag)
   if path.isdir(to) then to = path.join(to, path.basename(from)) end
   if flag == false and path.exists(to) then return false, 'file exists' end
   return fill(from, to, 'wb')
end

function file.move(from, to)
   if path.isdir(to) then to = path.join(to, path.basename(from)) end
   if os.rename(from, to) then return true end
   local ok, message = fill(from, to, 'wb')
   if not ok then return false, message end
   return os.remove(from)
end

file.delete = os.remove

return file
