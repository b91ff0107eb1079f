-- Predicts the errors of a program from its sources alone, without running it: missing packages, functions, classes,
-- methods and files.

local class_registry, names = require 'torch.base.class_registry', require 'shell.names'
local program_files, spelling = require 'shell.program_files', require 'shell.spelling'
local accepted_options, paths = require 'torch.base.accepted_options', require 'paths'
local format = string.format
local globals = _G

local program_check = {}

local DEVICE_METHODS = { cuda = true, cudaDouble = true, cudaHalf = true, cudaLong = true, cl = true }

-- The names of all methods that objects of the loaded packages have; classes that torch.class does not know are tables
-- in a package.
local function known_methods(packages)
   local known = {}
   local function add(methods) names.add_keys(known, methods) end
   for methods, name in next, debug.getregistry() do
      if type(methods) == 'table' and type(name) == 'string' and class_registry.metatable(name) then
         add(class_registry.loaded(class_registry.metatable(name)))
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
   -- Its objects are of no class.
   if packages.xlua then add(debug.getmetatable(packages.xlua.Profiler()).__index) end
   add(debug.getmetatable(io.stdout).__index)
   return known
end

-- Functions of torch whose results have the methods of tensors.
local TENSORS = {}
for name in string.gmatch([[Tensor DoubleTensor FloatTensor ByteTensor CharTensor ShortTensor IntTensor LongTensor
   zeros ones rand randn range linspace logspace eye randperm]], '%a+') do
   TENSORS['torch.' .. name] = 'torch.DoubleTensor'
end

-- The class that a call of a chain of names returns, and its methods; nil if unknown.
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
   methods = class_registry.loaded(methods)
   -- Classes that handle any key may have methods that cannot be listed.
   if class ~= 'torch.DoubleTensor' and methods.__index__ ~= nil then return nil end
   return class, methods
end

-- The names of the methods of a class, including inherited ones.
local function names_of(methods)
   local all = {}
   while methods do
      names.add_keys(all, methods)
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

-- The checks of a file call once(key, line, missing, text, advice), which reports each key only once.

-- The first field of a chain of names that is not in its package.
local function check_field(program, scan, field, once)
   local chain, line, only_asked = field[1], field[2], field[3]
   local head = scan.aliases[chain[1]] or chain[1]
   local value, name = program.packages[head], head
   if scan.locals[chain[1]] and not scan.aliases[chain[1]] then value = nil end
   for k = 2, #chain do
      if type(value) ~= 'table' or k > 2 and debug.getmetatable(value) then return end
      name = name .. '.' .. chain[k]
      if program.defined[name] or program.defined[chain[1] .. string.sub(name, #head + 1)] then return end
      local inner = names.field(value, chain[k])
      if inner == nil then
         if not only_asked then
            program.lacking = true
            once(name, line, true, format("'%s' does not exist", name), meaning(value, chain[k]))
         end
         return
      end
      value = inner
   end
end

local function check_method(program, known, scan, method, once)
   local name, line, receiver = method[1], method[2], method[3]
   if program.defined[':' .. name] or scan.tested[name] then return end
   local holder = receiver and receiver.variable
   local package_table = holder and (not scan.locals[holder] or scan.aliases[holder])
      and program.packages[scan.aliases[holder] or holder]
   -- nn:Linear() for nn.Linear() passes an argument more, which often goes unnoticed.
   if type(package_table) == 'table' and names.field(package_table, name) ~= nil then return end
   local chain = receiver and (receiver.class or scan.types[receiver.variable])
   local class, methods
   if chain and not program.defined[table.concat(chain, '.')] then
      class, methods = class_of(chain, program.packages, scan.aliases)
   end
   if DEVICE_METHODS[name] then
      once(':' .. name, line, false, format("the method '%s' is for GPUs", name), program_files.ON_PROCESSOR)
   elseif class and type(methods[name]) == 'nil' then
      once(class .. ':' .. name, line, true, format("%s has no method '%s'", class, name),
         meaning(names_of(methods), name))
   elseif not class and not known[name] and not program.defined[':*'] then
      once(':' .. name, line, not program.lacking, format("no class here has a method '%s'", name),
         program.lacking and 'what is missing may define it' or meaning(known, name))
   end
end

-- Whether a C library exists, by its name or path; it is not loaded, since that would run its code.
local function has_library(name, folder)
   if string.find(name, '/', 1, true) then
      return paths.filep(name) or paths.filep(folder .. '/' .. name)
   end
   local file = string.find(name, '%.so') and name or 'lib' .. name .. '.so'
   for _, place in ipairs { folder, '.', '/lib', '/usr/lib', '/usr/local/lib', '/lib64', '/usr/lib64' } do
      local below = { place }
      for _, entry in ipairs(string.find(place, '^/') and paths.dir(place) or {}) do
         if string.find(entry, '%-linux%-gnu$') then table.insert(below, place .. '/' .. entry) end
      end
      for _, directory in ipairs(below) do
         for _, entry in ipairs(paths.dir(directory) or {}) do
            if string.sub(entry, 1, #file) == file then return true end
         end
      end
   end
   return false
end

local function check_library(program, library, once)
   local name, line = library[1], library[2]
   if not jit or jit.os ~= 'Linux' or name == 'C' or has_library(name, program.folder) then return end
   once('library ' .. name, line, true, format("the C library '%s' is not available", name), 'ffi.load needs it')
end

local function check_option(option, once)
   local name, key, line = option[1], option[2], option[3]
   if accepted_options[name][key] then return end
   once(name .. ' ' .. key, line, true, format("'%s' has no option '%s'", name, key),
      meaning(accepted_options[name], key))
end

local function check_file(program, wanted, once)
   local name, line, by = wanted[1], wanted[2], wanted[3]
   if not paths.filep(name) and not program.written[name] and not program_files.inside(program, name, by) then
      once('file ' .. name, line, true, format("file '%s' does not exist", name),
         format('%s reads it, from the folder where the program is started', by))
   end
end

-- Sorts findings by the order of the files, then by lines.
local function sorted(findings, files)
   local position = {}
   for k, file in ipairs(files) do position[file.name] = k end
   for k, finding in ipairs(findings) do finding.rank = k end
   table.sort(findings, function(a, b)
      local p, q = position[a.file], position[b.file]
      if p ~= q then return p < q end
      if a.line ~= b.line then return a.line < b.line end
      return a.rank < b.rank
   end)
   return findings
end

-- Returns the findings for a program and the files that it requires, and the number of files.
function program_check.findings(script)
   local program = program_files.read(script)
   local known = known_methods(program.packages)
   for _, file in ipairs(program.files) do
      local scan, reported = file.scan, {}
      local function once(key, ...)
         if not reported[key] then program_files.tell(program, file.name, ...) end
         reported[key] = true
      end
      for _, field in ipairs(scan.fields) do check_field(program, scan, field, once) end
      file.once = once
   end
   -- Methods come last, when it is known what is missing.
   for _, file in ipairs(program.files) do
      local scan, once = file.scan, file.once
      for _, method in ipairs(scan.methods) do check_method(program, known, scan, method, once) end
      for _, wanted in ipairs(scan.files) do check_file(program, wanted, once) end
      for _, option in ipairs(scan.options) do check_option(option, once) end
      for _, library in ipairs(scan.libraries) do check_library(program, library, once) end
   end
   return sorted(program.findings, program.files), #program.files
end

-- Returns the findings as text, the number of missing items, and the number of files.
function program_check.report(script)
   local findings, count = program_check.findings(script)
   local lines, missing = {}, 0
   for _, finding in ipairs(findings) do
      if finding.missing then missing = missing + 1 end
      table.insert(lines, format('%s:%d: %s; %s', finding.file, finding.line, finding.text, tostring(finding.advice)))
   end
   return table.concat(lines, '\n'), missing, count
end

return program_check
