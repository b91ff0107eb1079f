-- Completes the end of a text. Names and fields are resolved without calling anything.

local find, gsub, match, sub = string.find, string.gsub, string.match, string.sub
local insert = table.insert
local baseline, names, lexer = require 'shell.baseline', require 'shell.names', require 'shell.lexer'
local call_results, class_registry = require 'shell.call_results', require 'torch.base.class_registry'
local matching, types = require 'shell.matching', require 'torch.base.types'
local globals = _G

local paths = require 'paths'

-- Keys of a table that are looked at: each key press waits for the completions.
local MAX_KEYS = 10000

-- Patterns of names that a text declares, and their kinds.
local DECLARATIONS = {
   { '\n([%w_ \t,]*)=[^=]', 'global' },
   { '%f[%w_.:]([%a_][%w_]*)[ \t]*=[^=]', 'global' },
   { 'function%s+([%a_][%w_]*)%s*%(', 'function' },
   { 'local%s+([%a_][%w_,%s]*)', 'local' },
   { 'for%s+([%a_][%w_,%s]*)[=%s]', 'local' },
   { 'function%s*[%w_.:]*%s*(%b())', 'local' },
}

-- The kinds of the names that the text itself declares.
local function declared(code)
   local kinds = {}
   for _, declaration in ipairs(DECLARATIONS) do
      for words in string.gmatch('\n' .. code, declaration[1]) do
         for word in string.gmatch(words, '[%a_][%w_]*') do
            if not names.keywords[word] then kinds[word] = declaration[2] end
         end
      end
   end
   return kinds
end

-- Sorts a list of { name, kind }.
local function sorted(found)
   table.sort(found, function(a, b) return a[1] < b[1] end)
   return found
end

-- Tells whether a module is an internal part of a package. Those of Penlight are public.
local function is_inside(name)
   local first = match(name, '^(%w+)%.')
   return first and first ~= 'pl' and baseline.modules[first] or first == 'shell' or first == 't7shell'
end

local function modules()
   local list = {}
   for name in pairs(package.loaded) do list[name] = not is_inside(name) or nil end
   for name in pairs(package.preload) do list[name] = not is_inside(name) or nil end
   for template in string.gmatch(package.path, '[^;]+') do
      local folder, rest = match(template, '^(.-)%?(.*)$')
      if folder and (folder ~= './' or rest == '.lua') then
         for _, name in ipairs(paths.dirp(folder) and paths.dir(folder) or {}) do
            local bare = rest == '.lua' and match(name, '^([%w_]+)%.lua$')
               or rest ~= '.lua' and paths.filep(folder .. gsub(name .. rest, '^/', '')) and match(name, '^[%w_]+$')
            if bare then list[bare] = true end
         end
      end
   end
   list._G, list.shell = nil, nil
   return list
end

local function in_string(text, start, code)
   local typed = sub(text, start + 1)
   local found = {}
   if find(sub(code, 1, start - 1), 'require%s*%(?%s*$') then
      for name in pairs(modules()) do
         if sub(name, 1, #typed) == typed then insert(found, { name, 'module' }) end
      end
      return typed, sorted(found)
   end
   local folder, last = match(typed, '^(.*/)([^/]*)$')
   folder, last = folder or '', last or typed
   local path = gsub(folder, '^~', paths.home or '~')
   for _, name in ipairs(paths.dir(path == '' and '.' or path) or {}) do
      if sub(name, 1, #last) == last and name ~= '.' and name ~= '..' and (last ~= '' or sub(name, 1, 1) ~= '.') then
         insert(found, { paths.dirp(path .. name) and name .. '/' or name, 'file' })
      end
   end
   return last, sorted(found)
end

local function kind_of(object, name)
   -- Looking up a method of a tensor would create it.
   if types.of_tensor(object) then return 'function' end
   local value = names.field(object, name)
   if class_registry.class_made_by(value) then return 'class' end
   return type(value) == 'function' and 'function' or names.kind(value)
end

-- The keys of a table that can be written in quotes, after `options['ra`.
local function keys(typed, quote, text, code)
   local object, found, list = call_results.resolve(text, code), {}, {}
   if type(object) ~= 'table' then return typed, found end
   for key in pairs(names.fields(object, MAX_KEYS)) do
      if not find(key, '[%c\\' .. quote .. ']') then list[key] = true end
   end
   for _, key in ipairs(matching(list, typed)) do insert(found, { key, kind_of(object, key) }) end
   return typed, found
end

-- Completes a field of what comes before the separator.
local function field(typed, separator, text, code)
   local object, found = call_results.resolve(text, code), {}
   if type(object) == 'nil' then return typed, found end
   for _, name in ipairs(names.matching(names.fields(object, MAX_KEYS), typed)) do
      local kind = kind_of(object, name)
      if separator == '.' or kind == 'function' then insert(found, { name, kind }) end
   end
   return typed, found
end

-- Returns the typed part of the name, and a list of { name, kind }.
return function(text)
   local record = lexer.read(text)
   if record.comment then return '', {} end
   local code = record.code
   if record.string then
      local before = lexer.trimmed(code, record.string - 1)
      local quote = sub(text, record.string, record.string)
      if sub(code, before, before) == '[' and quote ~= '[' then
         return keys(sub(text, record.string + 1), quote, sub(text, 1, before - 1), sub(code, 1, before - 1))
      end
      return in_string(text, record.string, code)
   end
   local typed = match(code, '^%d*(.*)', lexer.word_start(code, #code))
   local before = sub(code, 1, lexer.trimmed(code, #code - #typed))
   local separator = match(before, '[.:]$')
   if separator and sub(before, -2) ~= '..' then
      return field(typed, separator, sub(text, 1, #before - 1), sub(before, 1, -2))
   end
   local found = {}
   if typed == '' then return typed, found end
   local own, list = declared(sub(code, 1, -#typed - 1)), {}
   for name in pairs(names.fields(globals, MAX_KEYS)) do list[name] = find(name, '^[%a_][%w_]*$') and true or nil end
   for name in pairs(names.scope or {}) do own[name] = 'local' end
   for name in pairs(own) do list[name] = true end
   for word in pairs(names.keywords) do list[word] = word ~= typed or nil end
   for _, name in ipairs(matching(list, typed)) do
      insert(found, { name, own[name] or names.keywords[name] and 'keyword' or kind_of(globals, name) })
   end
   return typed, sorted(found)
end
