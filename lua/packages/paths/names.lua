-- Functions of names alone: basename, dirname, extname, concat.

local raise = require('torch.base.errors').raise

local function check(name, position, value)
   local kind = type(value)
   if kind == 'string' then return value end
   if kind == 'number' then return tostring(value) end
   raise('paths.%s: argument %d must be a string (got %s)', name, position, kind)
end

return function(paths)
   -- The last part of a name, without `suffix` (its dot may be left out) if it ends in that.
   function paths.basename(name, suffix)
      name = string.match(string.gsub(check('basename', 1, name), '/+$', ''), '([^/]*)$')
      if suffix ~= nil then
         suffix = check('basename', 2, suffix)
         if string.sub(suffix, 1, 1) ~= '.' then suffix = '.' .. suffix end
         if #suffix <= #name and string.sub(name, -#suffix) == suffix then name = string.sub(name, 1, -#suffix - 1) end
      end
      return name
   end

   -- The folder part of a name: '.' if there is none. A doubled slash before the last part stays a slash.
   function paths.dirname(name)
      name = check('dirname', 1, name)
      local stripped = string.gsub(name, '/+$', '')
      if stripped == '' then return name == '' and '.' or name end
      local folder = string.match(stripped, '^(.*)/[^/]*$')
      if not folder then return '.' end
      return folder == '' and '/' or folder
   end

   -- The part after the last dot of the whole name; nothing without one.
   function paths.extname(name)
      local extension = string.match(check('extname', 1, name), '%.([^.]*)$')
      if extension then return extension end
   end

   -- An absolute name from parts: each part is relative to the previous ones, the first to the current folder.
   function paths.concat(...)
      local parts, is_absolute = { ... }, false
      for i = 1, select('#', ...) do
         parts[i] = check('concat', i, parts[i])
         is_absolute = is_absolute or string.find(parts[i], '^/')
      end
      if not is_absolute then
         local current, message = paths.cwd()
         if not current then raise('paths.concat: %s', message) end
         table.insert(parts, 1, current)
      end
      local folders = {}
      for _, part in ipairs(parts) do
         if string.find(part, '^/') then folders = {} end
         for folder in string.gmatch(part, '[^/]+') do
            if folder == '..' then
               table.remove(folders)
            elseif folder ~= '.' then
               table.insert(folders, folder)
            end
         end
      end
      return '/' .. table.concat(folders, '/')
   end
end
