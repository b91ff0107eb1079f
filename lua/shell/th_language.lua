-- Extensions of Lua by Torch7's shell, in the dialect th: '%d' % 3, '%s %s' % { 'a', 'b' }, `require` of files by path,
-- './x', '..' or 'folder/x.lua', and the rounding of its LuaJIT in formats.

local compile, dialect = require 'torch.language.compile', require 'torch.base.dialect'
local half_up = require 'torch.base.half_up'
local is_library = require('torch.base.errors').is_library
local error, ipairs, require, type, unpack = error, ipairs, require, type, unpack
local getinfo, package = debug.getinfo, package
local find, match, sub = string.find, string.match, string.sub
local globals, strings, string = _G, debug.getmetatable '', _G.string
local plain_format = string.format

local th_language = {}

local function formatted(text, values)
   -- Tail calls, so that errors name the program's line.
   if type(values) == 'table' then return half_up.format(text, unpack(values)) end
   return half_up.format(text, values)
end

-- The folder of the file that calls `require`, nil for other chunks.
local function folder_of_caller()
   local level = 3
   while true do
      local frame = getinfo(level, 'S')
      if not frame then return nil end
      if frame.what ~= 'C' and not is_library(frame.source) then
         return sub(frame.source, 1, 1) == '@' and (match(frame.source, '^@(.*)/') or '.') or nil
      end
      level = level + 1
   end
end

-- Returns the file that a path means: beside the caller first, then in the current folder.
local function file_of(path, folder)
   local absolute = sub(path, 1, 1) == '/'
   local is_file = require('paths').filep
   for _, base in ipairs { not absolute and folder and folder .. '/' or '', '' } do
      for _, ending in ipairs { '', '.lua', '/init.lua' } do
         if is_file(base .. path .. ending) then return base .. path .. ending end
      end
   end
end

local original = globals.require

-- As in the original, a file that is required by path runs at each call, as by `dofile`.
local function required(name)
   if type(name) == 'string' and package.loaded[name] == nil
      and (find(name, '^[./]') or find(name, '%.lua$')) then
      local file = file_of(name, folder_of_caller())
      if file then
         local chunk, message = compile.loadfile(file)
         if not chunk then error(message, 0) end
         return chunk()
      end
   end
   return original(name)
end

local function exchange(from, to)
   if globals.require == from then globals.require = to end
end

local function follow()
   local from, to = half_up.format, plain_format
   if dialect.name == 'th' then from, to = to, from end
   if string.format == from then string.format = to end
   if dialect.name == 'th' then
      if strings.__mod == nil then strings.__mod = formatted end
      exchange(original, required)
   else
      if strings.__mod == formatted then strings.__mod = nil end
      exchange(required, original)
   end
end

function th_language.install()
   dialect.watch(follow)
   follow()
end

return th_language
