-- Predicts what will stop a program, from its sources alone: missing packages, functions, classes, methods and files.
-- Nothing of the program runs.

local compile = require 'torch.language.compile'
local class_registry, names = require 'torch.base.class_registry', require 'shell.names'
local program_scan, spelling = require 'shell.program_scan', require 'shell.spelling'
local errors, paths = require 'torch.base.errors', require 'paths'
local concat, insert, sort = table.concat, table.insert, table.sort
local debug, io, ipairs, next, package, pcall, require = debug, io, ipairs, next, package, pcall, require
local tonumber, tostring, type = tonumber, tostring, type
local find, format, gmatch, gsub, match, sub = string.find, string.format, string.gmatch, string.gsub, string.match,
   string.sub
local globals = _G

local program_check = {}

local LIBRARY = gsub(errors.library, '^@', '')
local DEVICES = { cutorch = true, cunn = true, cudnn = true }
local DEVICE_METHODS = { cuda = true, cudaDouble = true, cudaHalf = true, cudaLong = true, cl = true }
local ON_PROCESSOR = 'without a GPU it computes on the processor'
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

-- The entries of package.path outside this library, with the folder of the script.
local function search_path(folder)
   local places = {}
   for place in gmatch(package.path, '[^;]+') do
      if sub(place, 1, #LIBRARY) ~= LIBRARY then insert(places, place) end
   end
   insert(places, folder .. '/?.lua')
   insert(places, folder .. '/?/init.lua')
   return concat(places, ';')
end

-- Returns the file that a module or path means, nil if there is none.
local function file_of(name, by, folder, path)
   if by == 'require' and not find(name, '/') and not find(name, '%.lua$') then
      return package.searchpath(name, path)
   end
   for _, base in ipairs { folder .. '/', '' } do
      for _, ending in ipairs { '', '.lua', '/init.lua' } do
         local file = (sub(name, 1, 1) == '/' and '' or base) .. name .. ending
         if paths.filep(file) then return file end
      end
   end
   return by == 'require' and package.searchpath(name, path) or nil
end

-- Returns the value of a package of this library, after loading it; nil for others, second the reason of one that lacks
-- something.
local function own_package(name)
   if type(name) ~= 'string' or find(name, '^shell') then return nil end
   local there = package.loaded[name] or package.preload[name] or globals[name]
   local ours = package.searchpath(name, LIBRARY .. '?.lua;' .. LIBRARY .. '?/init.lua')
   if not there and not ours then return nil end
   local fine, value = pcall(require, name)
   if fine then return value end
   return nil, ours and tostring(value)
end

-- The names of all methods that objects of the loaded packages have; classes that torch.class does not know are tables
-- in a package.
local function known_methods(packages)
   local known = {}
   local function add(methods)
      for name in next, methods do
         if type(name) == 'string' then known[name] = true end
      end
   end
   for methods, name in next, debug.getregistry() do
      if type(methods) == 'table' and type(name) == 'string' and class_registry.metatable(name) then
         add(class_registry.whole(class_registry.metatable(name)))
      end
   end
   for _, package_table in next, packages do
      for _, value in next, type(package_table) == 'table' and package_table or {} do
         if type(value) == 'table' then
            add(value)
            local metatable = debug.getmetatable(value)
            if metatable and type(metatable.__index) == 'table' then add(metatable.__index) end
         end
      end
   end
   add(globals.string)
   add(debug.getmetatable(io.stdout).__index)
   return known
end

-- Functions of torch whose results have the methods of tensors.
local TENSORS = {}
for name in gmatch([[Tensor DoubleTensor FloatTensor ByteTensor CharTensor ShortTensor IntTensor LongTensor zeros ones
   rand randn range linspace logspace eye randperm]], '%a+') do
   TENSORS['torch.' .. name] = 'torch.DoubleTensor'
end

-- The name of a class, and its methods: of what a call of a chain of names gives; nil where that is not known.
local function class_of(chain, packages, aliases)
   local head = aliases[chain[1]] or chain[1]
   local value, name = packages[head], head
   for k = 2, #chain do
      value = type(value) == 'table' and names.field(value, chain[k]) or nil
      name = name .. '.' .. chain[k]
   end
   local class = TENSORS[name]
   if not class and type(value) == 'table' then
      local methods = class_registry.lua_getmetatable(value)
      class = type(methods) == 'table' and methods.__typename or nil
   end
   local methods = class and class_registry.metatable(class)
   if not methods then return nil end
   methods = class_registry.whole(methods)
   -- Classes that answer for any key have methods that nobody can list.
   if class ~= 'torch.DoubleTensor' and methods.__index__ ~= nil then return nil end
   return class, methods
end

-- The names of the methods of a class, inherited ones too.
local function names_of(methods)
   local all = {}
   while methods do
      for name in next, methods do
         if type(name) == 'string' then all[name] = true end
      end
      methods = class_registry.lua_getmetatable(methods)
   end
   return all
end

local function meaning(value, key)
   local nearest = type(value) == 'table' and spelling.nearest(key, value)
   if nearest then return format("did you mean '%s'?", nearest) end
   local hint = value == globals.torch and require('shell.pytorch_names')[key]
   return hint and format('write %s', hint) or 'define it before, or load the package that adds it'
end

-- Returns a list of findings { file, line, text, advice, missing } for a program and the files that it requires.
function program_check.findings(script)
   local findings, files, queued = {}, {}, {}
   local folder = match(script, '^(.*)/') or '.'
   local path = search_path(folder)
   local function tell(file, line, missing, text, advice)
      insert(findings, { file = file, line = line, text = text, advice = advice, missing = missing })
   end
   local function queue(file)
      if not queued[file] then
         queued[file] = true
         insert(files, { name = file })
      end
   end
   queue(script)

   local packages, defined, written = {}, {}, {}
   for _, name in ipairs(STANDARD) do packages[name] = globals[name] end
   -- The list grows while it is read.
   local i = 1
   while files[i] do
      local file = files[i]
      local source = read(file.name)
      if not source then
         tell(file.name, 0, true, 'the file cannot be read', 'check its name and its permissions')
         source = ''
      end
      local chunk, message = compile.load(source, '@' .. file.name)
      if not chunk then
         local line, why = match(message, ':(%d+): (.*)$')
         tell(file.name, tonumber(line) or 0, true, why or message, 'correct the syntax')
      end
      file.scan = program_scan(source)
      local beside = match(file.name, '^(.*)/') or '.'
      for name in next, file.scan.defined do defined[name] = true end
      for name in next, file.scan.written do written[name] = true end
      for _, module in ipairs(file.scan.modules) do
         local name, line, by = module[1], module[2], module[3]
         local found = file_of(name, by, by == 'require' and not find(name, '/') and folder or beside, path)
         local own, lacks
         if not found and by == 'require' then own, lacks = own_package(name) end
         if found then
            queue(found)
         elseif own then
            packages[name] = type(own) == 'table' and own or globals[name]
            if DEVICES[match(name, '^[^.]*')] then
               tell(file.name, line, false, format("'%s' is for GPUs", name), ON_PROCESSOR)
            end
         elseif lacks then
            tell(file.name, line, not module[4], format("package '%s' cannot be loaded", name), lacks)
         elseif by == 'require' then
            tell(file.name, line, not module[4], format("package '%s' is not here", name),
               (gsub(require 'shell.missing'(name), '\n%s*', ' ')))
         else
            tell(file.name, line, not written[name], format("file '%s' is not there", name), 'it runs this file')
         end
      end
      i = i + 1
   end

   local known = known_methods(packages)
   for _, file in ipairs(files) do
      local scan, told = file.scan, {}
      local function once(key, ...)
         if not told[key] then tell(file.name, ...) end
         told[key] = true
      end
      for _, field in ipairs(scan.fields) do
         local chain, line, only_asked = field[1], field[2], field[3]
         local head = scan.aliases[chain[1]] or chain[1]
         local value = packages[head]
         if scan.locals[chain[1]] and not scan.aliases[chain[1]] then value = nil end
         local name = head
         for k = 2, #chain do
            if type(value) ~= 'table' or k > 2 and debug.getmetatable(value) then break end
            name = name .. '.' .. chain[k]
            if defined[name] or defined[chain[1] .. sub(name, #head + 1)] then break end
            local inner = names.field(value, chain[k])
            if inner == nil then
               if not only_asked then
                  once(name, line, true, format("'%s' is not here", name), meaning(value, chain[k]))
               end
               break
            end
            value = inner
         end
      end
      for _, method in ipairs(scan.methods) do
         local name, line, receiver = method[1], method[2], method[3]
         local chain = receiver and (receiver.class or scan.types[receiver.variable])
         local class, methods
         if chain and not defined[concat(chain, '.')] then class, methods = class_of(chain, packages, scan.aliases) end
         if DEVICE_METHODS[name] and not defined[':' .. name] then
            once(':' .. name, line, false, format("the method '%s' is for GPUs", name), ON_PROCESSOR)
         elseif class and type(methods[name]) == 'nil' and not defined[':' .. name] then
            once(class .. ':' .. name, line, true, format("%s has no method '%s'", class, name),
               meaning(names_of(methods), name))
         elseif not class and not known[name] and not defined[':' .. name] then
            once(':' .. name, line, true, format("no class here has a method '%s'", name), meaning(known, name))
         end
      end
      for _, wanted in ipairs(scan.files) do
         local name, line, by = wanted[1], wanted[2], wanted[3]
         if not paths.filep(name) and not written[name] then
            once('file ' .. name, line, true, format("file '%s' is not there", name),
               format('%s reads it, from the folder where the program is started', by))
         end
      end
   end
   local position = {}
   for k, file in ipairs(files) do position[file.name] = k end
   for k, finding in ipairs(findings) do finding.rank = k end
   sort(findings, function(a, b)
      local p, q = position[a.file], position[b.file]
      if p ~= q then return p < q end
      if a.line ~= b.line then return a.line < b.line end
      return a.rank < b.rank
   end)
   return findings, #files
end

-- Returns the findings as text, the number of missing items, and the number of files.
function program_check.report(script)
   local findings, count = program_check.findings(script)
   local lines, missing = {}, 0
   for _, finding in ipairs(findings) do
      if finding.missing then missing = missing + 1 end
      insert(lines, format('%s:%d: %s; %s', finding.file, finding.line, finding.text, tostring(finding.advice)))
   end
   return concat(lines, '\n'), missing, count
end

return program_check
