-- paths: names of files and folders, and the contents of the disk.

local paths = {}

for _, part in ipairs { 'names', 'disk', 'listing', 'running', 'system', 'installed' } do
   require('paths.' .. part)(paths)
end

return paths
