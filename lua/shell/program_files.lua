-- Reads the files of a program, without running them, and loads the packages of this library that it requires. The
-- program is a table:
--    files      { name, scan } of the script and of what it requires
--    findings   { file, line, text, advice, missing }
--    packages   the loaded packages by name
--    defined, written   names that some file defines, and files that it writes, see program_scan.lua
--    folder, path   of the script, and where modules are looked for
--    tails    of a folder: 'b/c.lua' -> 'a/b/c.lua' for all its files, which are there where the program is started
--    lacking  whether a package is missing, or a part of one: what it adds is not known

local compile, program_scan = require 'torch.language.compile', require 'shell.program_scan'
local loader, modules, paths = require 'torch.jit.loader', require 'shell.modules', require 'paths'
local find, format, gsub, match, sub = string.find, string.format, string.gsub, string.match, string.sub
local globals = _G

local program_files = { ON_PROCESSOR = 'without a GPU it computes on the processor' }

-- Files of a folder that are read, folders within folders, and bytes of a file.
local MAX_FILES, MAX_DEPTH, MAX_BYTES = 500, 6, 2 ^ 20
local DEVICES = { cutorch = true, cunn = true, cudnn = true }
local STANDARD = {
   'string', 'table', 'math', 'io', 'os', 'debug', 'coroutine', 'package', 'bit', 'jit', 'torch', 'paths', 'sys',
   'xlua',
}

local function read(path)
   local file = io.open(path, 'rb')
   local source = file and file:read '*a'
   if file then file:close() end
   return source
end

-- package.path with the folder of the script, where a run of it has that.
local function search_path(folder)
   local patterns, at = {}, nil
   for pattern in string.gmatch(package.path, '[^;]+') do
      table.insert(patterns, pattern)
      if find(pattern, '^%./') then at = #patterns + 1 end
   end
   table.insert(patterns, at or #patterns + 1, format('%s/?.lua;%s/?/init.lua', folder, folder))
   return table.concat(patterns, ';')
end

-- The file of a module outside of this library.
local function module_of(name, path)
   local file, ours = loader.file_of(name, path)
   return not ours and file or nil
end

local function is_path(name) return find(name, '/') or find(name, '^%.') end

-- Returns the file that a module or path refers to, nil if there is none.
local function file_of(name, by, folder, path)
   if by == 'require' and not is_path(name) and not find(name, '%.lua$') then
      return module_of(name, path)
   end
   for _, base in ipairs { folder .. '/', '' } do
      for _, ending in ipairs { '', '.lua', '/init.lua' } do
         local file = (sub(name, 1, 1) == '/' and '' or base) .. name .. ending
         if paths.filep(file) then return file end
      end
   end
   return by == 'require' and module_of(name, path) or nil
end

-- The ends of the paths of all files in a folder and those below, each with the first file that has it. A rock's own
-- modules are in no folder of its name: 'dp.Data' is 'Data' where there is a dp-scm-1.rockspec.
local function add_tails(program, folder, depth)
   local entries = paths.dir(folder) or {}
   table.sort(entries)
   for _, entry in ipairs(entries) do
      local path = folder .. '/' .. entry
      if not find(entry, '^%.') and depth < MAX_DEPTH and paths.dirp(path) then
         add_tails(program, path, depth + 1)
      elseif not find(entry, '^%.') then
         local rock = match(entry, '^(.-)%-%w+%-%d+%.rockspec$')
         if rock then program.rocks[rock] = true end
         local tail = path
         while tail do
            program.tails[tail] = program.tails[tail] or path
            tail = match(tail, '^[^/]*/(.*)$')
         end
      end
   end
end

-- The file of a folder's program that a name in a file means, wherever the program is started; nil if there is none. A
-- part of a package, which has an init.lua, is not a module itself.
function program_files.inside(program, name, by, from)
   if not program.tails then return nil end
   local tails = program.tails
   name = gsub(name, '^%./', '')
   if by ~= 'require' then return tails[name] end
   local plain = gsub(name, '%.', '/')
   local head, rest = match(plain, '^([^/]+)/?(.*)$')
   if program.rocks[head] then plain = rest == '' and 'init' or rest end
   for _, tail in ipairs { plain .. '.lua', plain .. '/init.lua' } do
      local path = tails[tail]
      local root = path and sub(path, 1, -#tail - 2)
      local beside = root == program.folder or root == match(from or '', '^(.*)/')
      if path and (beside or not paths.filep(root .. '/init.lua')) then return path end
   end
end

-- Loads a package of this library and returns its value; nil for others, second the reason if it lacks a dependency.
local function own_package(name)
   if type(name) ~= 'string' or find(name, '^shell') then return nil end
   local there = package.loaded[name] or package.preload[name] or globals[name]
   local ours = select(2, loader.file_of(name))
   if not there and not ours and not modules.part_of_package(name) then return nil end
   local ok, value = pcall(require, name)
   if ok then return value end
   return nil, ours and tostring(value)
end

-- Adds a finding about something missing, or about something else.
function program_files.tell(program, file, line, missing, text, advice)
   table.insert(program.findings, { file = file, line = line, text = text, advice = advice, missing = missing })
end
local tell = program_files.tell

-- The absolute path is one for 'a.lua', './a.lua' and 'b/../a.lua': files that require each other by such paths are
-- read once.
local function queue(program, name)
   local path = paths.concat(name)
   if program.queued[path] then return end
   program.queued[path] = true
   table.insert(program.files, { name = name })
end

-- Returns source, or reports why it cannot be read or compiled.
local function source_of(program, name)
   local source = read(name)
   if not source then
      tell(program, name, 0, true, 'the file cannot be read', 'check its name and its permissions')
      source = ''
   end
   local chunk, message = compile.load(source, '@' .. name)
   if not chunk then
      local line, why = match(message, ':(%d+): (.*)$')
      tell(program, name, tonumber(line) or 0, true, why or message, 'correct the syntax')
   end
   return source
end

-- Loads a package that a file requires, or queues the file that it requires or runs.
local function follow(program, file, module)
   local name, line, by, only_tried = unpack(module, 1, 4)
   local of_script = by == 'require' and not is_path(name)
   local found = file_of(name, by, of_script and program.folder or match(file, '^(.*)/') or '.', program.path)
   found = found or not (by == 'require' and own_package(name)) and program_files.inside(program, name, by, file)
   if found then return queue(program, found) end
   if by ~= 'require' then
      return tell(program, file, line, not program.written[name], format("file '%s' does not exist", name),
         'it runs this file')
   end
   local own, lacks = own_package(name)
   if own then
      program.packages[name] = type(own) == 'table' and own or globals[name]
      if DEVICES[match(name, '^[^.]*')] then
         tell(program, file, line, false, format("'%s' is for GPUs", name), program_files.ON_PROCESSOR)
      end
   elseif lacks then
      tell(program, file, line, not only_tried, format("package '%s' cannot be loaded", name), lacks)
   else
      program.lacking = true
      tell(program, file, line, not only_tried, format("package '%s' is not available", name),
         (gsub(require 'shell.missing'(name), '\n%s*', ' ')))
   end
end

-- The files in Lua of a folder and of those below it, sorted; at most MAX_FILES.
local function files_below(folder, list, depth)
   local entries = paths.dir(folder) or {}
   table.sort(entries)
   for _, entry in ipairs(entries) do
      local path = folder == '.' and entry or folder .. '/' .. entry
      if #list >= MAX_FILES then return list end
      if find(entry, '%.lua$') and paths.filep(path) then
         table.insert(list, path)
      elseif not find(entry, '^%.') and depth < MAX_DEPTH and paths.dirp(path) then
         files_below(path, list, depth + 1)
      end
   end
   return list
end

-- Adds what the files beside a script define: they may be loaded by computed names, or by the program that loads it.
local function add_siblings(program)
   for _, name in ipairs(files_below(program.folder, {}, 0)) do
      local source = not program.queued[paths.concat(name)] and read(name)
      local ok, scan = pcall(program_scan, source and #source < MAX_BYTES and source or '')
      for defined in next, ok and scan.defined or {} do program.defined[defined] = true end
      for written in next, ok and scan.written or {} do program.written[written] = true end
   end
end

-- Returns the program of a script, with the files that it requires; of a folder, all files in it.
function program_files.read(script)
   local whole = paths.dirp(script)
   local folder = whole and gsub(script, '(.)/+$', '%1') or match(script, '^(.*)/') or '.'
   local program = { files = {}, findings = {}, queued = {}, packages = {}, defined = {}, written = {},
      folder = folder, path = search_path(folder), rocks = {}, tails = whole and {} or nil }
   if whole then
      program.rocks[match(folder, '[^/]*$')] = true
      add_tails(program, folder, 0)
   end
   for _, name in ipairs(STANDARD) do program.packages[name] = globals[name] end
   for _, name in ipairs(whole and files_below(folder, {}, 0) or { script }) do queue(program, name) end
   -- The list grows during iteration.
   local i = 1
   while program.files[i] do
      local file = program.files[i]
      file.scan = program_scan(source_of(program, file.name))
      for name in next, file.scan.defined do program.defined[name] = true end
      for name in next, file.scan.written do program.written[name] = true end
      for _, module in ipairs(file.scan.modules) do follow(program, file.name, module) end
      i = i + 1
   end
   if not whole then add_siblings(program) end
   return program
end

return program_files
