-- Compiling the source of programs, in the language of Torch7's LuaJIT: 5.1 with the additions of 5.2.
-- Files, modules, strings and inputs of the prompt go through here; modules of the library do not.

local byte, find, format = string.byte, string.find, string.format
local concat, error, getinfo, io, pcall, type = table.concat, error, debug.getinfo, io, pcall, type
local load, loadfile, searchpath = load, loadfile, package.searchpath
local reject_nul, length = require('torch.base.errors').reject_nul, require 'torch.language.length'

local compile = {}

-- Loads bytecode; returns nil and a message for damaged one, which would end the process.
local function loaded(source, name, mode, environment)
   local bytecode = require 'torch.language.bytecode'
   if (not mode or find(mode, 'b', 1, true)) and bytecode.fault(source) == bytecode.DAMAGED then
      local shown = name and name ~= source and getinfo(load('', name), 'S').short_src or '(binary)'
      return nil, shown .. ': cannot load damaged bytecode'
   end
   return load(source, name, mode, environment)
end

-- Returns the message for source that does not compile. LuaJIT names all tokens but one that is a NUL.
local function with_nul(message, source)
   if find(message, ' near ', 1, true) or not find(source, '\0', 1, true) then return message end
   local is_utf16 = find(source, '^\255\254') or find(source, '^\254\255')
   return message .. " near 'char(0)'" .. (is_utf16 and ': the source is UTF-16, Lua reads UTF-8' or '')
end

-- Returns the compiled source, or nil and the message, which refers to the original source.
local function compiled(source, name, mode, environment)
   if byte(source, 1) == 27 then return loaded(source, name, mode, environment) end
   name = name or source
   local text = length.rewrite(source, name)
   local chunk, message = load(text, name, mode, environment)
   if chunk then return chunk end
   if type(message) ~= 'string' or find(message, '^attempt to load') then return nil, message end
   -- LuaJIT has taken all tokens of unfinished source: there is nothing to rewrite.
   if find(message, "near '<eof>'$") then return nil, message end
   local rewrite = require('torch.language.syntax').rewrite
   local plain = rewrite(text)
   if plain then
      chunk, message = load(plain, name, mode, environment)
      if chunk then return chunk end
   end
   if text ~= source then
      chunk, message = load(rewrite(source) or source, name, mode, environment)
      if chunk then return chunk end
   end
   return nil, with_nul(message, source)
end

local function pieces_of(reader)
   local pieces = {}
   while true do
      local piece = reader()
      local kind = type(piece)
      if kind == 'nil' or piece == '' then return concat(pieces) end
      if kind ~= 'string' then error('reader function must return a string', 0) end
      pieces[#pieces + 1] = piece
   end
end

local function is_text_or_none(value)
   local kind = type(value)
   return kind == 'nil' or kind == 'string'
end

-- load(source [, name [, mode [, environment]]]): source is a string, or a function that returns it in pieces.
function compile.load(source, name, mode, environment)
   local kind = type(source)
   if kind ~= 'string' and kind ~= 'function' or not is_text_or_none(name) or not is_text_or_none(mode) then
      -- LuaJIT's own function raises the error.
      return load(source, name, mode, environment)
   end
   if kind == 'function' then
      local ok, text = pcall(pieces_of, source)
      if not ok then return nil, text end
      source, name = text, name or '=(load)'
   end
   return compiled(source, name, mode, environment)
end

compile.loadstring = compile.load

-- loadfile([path [, mode [, environment]]]): a file, or the standard input.
function compile.loadfile(path, mode, environment)
   if not is_text_or_none(path) or not is_text_or_none(mode) then return loadfile(path, mode, environment) end
   reject_nul('loadfile', 1, path)
   local file, source = path and io.open(path, 'rb') or not path and io.stdin
   source = file and file:read '*a'
   if path and file then file:close() end
   -- LuaJIT words the error for a file that cannot be read.
   if not source then return loadfile(path, mode, environment) end
   return compiled(source, path and '@' .. path or '=stdin', mode, environment)
end

-- dofile([path]): runs a file, or the standard input.
function compile.dofile(path)
   if not is_text_or_none(path) then return loadfile(path) end
   reject_nul('dofile', 1, path)
   local chunk, message = compile.loadfile(path)
   if not chunk then error(message, 0) end
   return chunk()
end

-- The loader of `require` for modules in Lua on a path. Returns nil if there is none.
function compile.module(name, path)
   local file = searchpath(name, path)
   if not file then return nil end
   local chunk, message = compile.loadfile(file)
   if not chunk then error(format("error loading module '%s' from file '%s':\n\t%s", name, file, message), 0) end
   return chunk
end

return compile
