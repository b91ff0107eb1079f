-- The names that a source file mentions, found without running it: modules, fields of packages, methods, files.

local ipairs, os = ipairs, os
local concat, insert = table.concat, table.insert
local find, gmatch, gsub, match, sub = string.find, string.gmatch, string.gsub, string.match, string.sub
local accepted_options, reader = require 'torch.base.accepted_options', require('torch.language.tokens').reader
local word_set = require 'torch.base.word_set'

-- Functions that run the file named by their argument.
local RUNS = { dofile = true, loadfile = true, include = true, ['paths.dofile'] = true, ['paths.require'] = true }
-- Functions that read the file named by their argument.
local READS = word_set [[torch.load image.load image.loadPNG image.loadJPG image.loadPPM image.loadPGM csvigo.load
   matio.load npy4th.loadnpy npy4th.loadnpz hdf5.open io.lines torch.DiskFile io.open]]
-- Next to these, a field is only tested and may be missing.
local TESTS_BEFORE = { ['if'] = true, ['elseif'] = true, ['not'] = true, ['and'] = true, ['or'] = true }
local TESTS_AFTER = { ['then'] = true, ['and'] = true, ['or'] = true, ['=='] = true, ['~='] = true }

-- Methods that return the object, or one of its class.
local RETURNS_SELF = word_set [[add clone cmul contiguous copy cuda div double fill float mul narrow resize type view
   zero]]
-- Tokens that may follow a complete assigned expression.
local CONTINUES = word_set '( { string . : [ + - * / % ^ .. == ~= < > <= >= and or ,'
local OPENS, CLOSES = { ['('] = true, ['{'] = true, ['['] = true }, { [')'] = true, ['}'] = true, [']'] = true }

-- Returns a list of tokens { kind, text, line }.
local function tokens_of(source)
   local tokens, next_token, line, from = {}, reader(source), 1, 1
   while true do
      local kind, first, last = next_token()
      for _ in gmatch(sub(source, from, first - 1), '\n') do line = line + 1 end
      from = first
      insert(tokens, { kind, sub(source, first, last), line })
      if kind == 'end of source' then return tokens end
   end
end

-- The value of a literal string without escapes; nil for other tokens.
local function text_of(token)
   if token[1] ~= 'string' or find(token[2], '\\', 1, true) then return nil end
   return match(token[2], '^["\'](.*)["\']$') or match(token[2], '^%[=*%[(.*)%]=*%]$')
end

-- Returns the literal string that is the only or first argument of a call whose function ends before token i; nil where
-- it is part of a text.
local function argument(tokens, i)
   if tokens[i][1] ~= '(' then return text_of(tokens[i]) end
   local text = text_of(tokens[i + 1])
   return text and tokens[i + 2][1] ~= '..' and tokens[i + 2][1] ~= ':' and text or nil
end

-- Returns a record of the names in a source:
--    modules   { name, line, by, whether only tried } of require and of functions that run files
--    fields    { chain of names, line, whether it is only tested }, not those of local variables
--    methods   { name, line, receiver }: the receiver, where it is known, is { variable = name } or { class = chain of
--              names }, what the method is called on being a call of that chain
--    types     variable -> chain of names whose call is all that is assigned to it; false for others
--    files     { path, line, by }
--    aliases   variable -> module that it holds;  locals   names of other local variables
--    options   { function, name of an option, line } of calls whose options are known
--    tested    names of fields that are tested somewhere;  libraries   { name, line } of ffi.load
--    defined   'nn.Mine' -> true, and ':*' where names are computed;  written   path -> true
return function(source)
   local tokens = tokens_of(source)
   local found = {
      modules = {}, fields = {}, methods = {}, files = {}, aliases = {}, locals = {}, defined = {}, written = {},
      types = {}, tested = {}, libraries = {}, options = {},
   }
   local hidden = {}          -- names that loops or functions bind as well
   local receivers = {}       -- index of a colon -> the receiver of the method that it stands before

   -- Returns the index after the arguments of a call at token i; nil if there is no call.
   local function after_arguments(i)
      local kind, depth = tokens[i][1], 0
      if kind == 'string' then return i + 1 end
      if kind ~= '(' and kind ~= '{' then return nil end
      repeat
         kind = tokens[i][1]
         if kind == 'end of source' then return nil end
         depth = depth + (OPENS[kind] and 1 or CLOSES[kind] and -1 or 0)
         i = i + 1
      until depth == 0
      return i
   end

   -- Notes the receiver of a method that follows a call at token i.
   local function returned(i, receiver)
      local after = after_arguments(i)
      if after and tokens[after][1] == ':' then receivers[after] = receiver end
   end

   -- Notes the options that a call at token i gives a function in a table.
   local function note_options(name, i)
      local after, braces, depth = after_arguments(i), 0, 0
      for k = i, (after or i) - 1 do
         local kind = tokens[k][1]
         local change = OPENS[kind] and 1 or CLOSES[kind] and -1 or 0
         depth = depth + change
         if kind == '{' or kind == '}' then braces = braces + change end
         if braces == 1 and depth == (tokens[i][1] == '(' and 2 or 1) and kind == 'name'
            and tokens[k + 1][1] == '=' and (tokens[k - 1][1] == '{' or tokens[k - 1][1] == ',') then
            insert(found.options, { name, tokens[k][2], tokens[k][3] })
         end
      end
   end

   local function chain_at(i)
      local chain, at = { tokens[i][2] }, i + 1
      while tokens[at][1] == '.' and tokens[at + 1][1] == 'name' do
         insert(chain, tokens[at + 1][2])
         at = at + 2
      end
      return chain, at
   end

   -- Returns the chain of names whose call is the whole expression at token i, ignoring methods that return their
   -- object.
   local function class_of(i)
      if tokens[i][1] ~= 'name' then return nil end
      local chain, at = chain_at(i)
      at = #chain > 1 and after_arguments(at)
      while at and tokens[at][1] == ':' and RETURNS_SELF[tokens[at + 1][2]] do at = after_arguments(at + 2) end
      return at and not CONTINUES[tokens[at][1]] and chain or nil
   end

   -- Notes the value assigned to a variable: a chain, or anything else.
   local function assign(name, chain)
      local known = found.types[name]
      if known and chain and concat(known, '.') ~= concat(chain, '.') then chain = nil end
      found.types[name] = known ~= false and chain or false
   end

   -- Parses names from token i on, separated by commas, and returns the index after them. A `single` one is assigned
   -- later.
   local function bind(i, single)
      while tokens[i][1] == 'name' do
         found.locals[tokens[i][2]] = true
         if not single then
            assign(tokens[i][2])
            hidden[tokens[i][2]] = true
         end
         i = i + 1
         if tokens[i][1] ~= ',' then break end
         i = i + 1
      end
      return i
   end

   local function module_at(i)
      return tokens[i][2] == 'require' and argument(tokens, i + 1) or nil
   end

   local i = 1
   while tokens[i][1] ~= 'end of source' do
      local kind, text, line = tokens[i][1], tokens[i][2], tokens[i][3]
      local before = i > 1 and tokens[i - 1][1] or ';'
      if kind == 'local' then
         local name = tokens[i + 1][2]
         if tokens[i + 1][1] == 'name' and tokens[i + 2][1] == '=' and module_at(i + 3) then
            found.aliases[name] = module_at(i + 3)
            i = i + 2
         elseif tokens[i + 1][1] == 'function' then
            found.locals[tokens[i + 2][2]] = true
         else
            local after = tokens[i + 2][1]
            bind(i + 1, after ~= ',')
            if after == '=' then assign(name, class_of(i + 3)) end
            i = after == '=' and i + 2 or i + 1
         end
      elseif kind == 'for' then
         bind(i + 1)
      elseif kind == 'function' then
         local at = i + 1
         local names = {}
         while tokens[at][1] == 'name' do
            insert(names, tokens[at][2])
            at = at + 1
            if tokens[at][1] ~= '.' and tokens[at][1] ~= ':' then break end
            at = at + 1
         end
         if #names > 0 then
            found.defined[concat(names, '.')], found.defined[':' .. names[#names]] = true, true
            if #names == 1 then assign(names[1]) end
         end
         if tokens[at][1] == '(' then bind(at + 1) end
         i = at
      elseif kind == ':' and tokens[i + 1][1] == 'name' then
         local after = tokens[i + 2][1]
         if after == '(' or after == 'string' or after == '{' then
            local receiver, name = receivers[i], tokens[i + 1][2]
            local previous = i > 2 and tokens[i - 2][1] or ';'
            if not receiver and before == 'name' and previous ~= '.' and previous ~= ':' then
               receiver = { variable = tokens[i - 1][2] }
            end
            insert(found.methods, { name, tokens[i + 1][3], receiver })
            if receiver and RETURNS_SELF[name] then returned(i + 2, receiver) end
         end
         i = i + 1
      elseif kind == 'name' and before ~= '.' and before ~= ':' then
         local chain, at = chain_at(i)
         local name, given = concat(chain, '.'), argument(tokens, at)
         -- pcall(require, 'x') continues without the module.
         local tried = name == 'require' and tokens[at][1] == ',' and text_of(tokens[at + 1])
         if tried then insert(found.modules, { tried, line, name, true }) end
         if tokens[at][1] == '=' then
            found.defined[name], found.defined[':' .. chain[#chain]] = true, true
            if #chain == 1 and module_at(at + 1) then found.aliases[name] = module_at(at + 1) end
            if #chain == 1 then assign(name, class_of(at + 1)) end
         elseif #chain == 1 and tokens[at][1] == ',' then
            -- It may be one of several assigned names.
            if before ~= '(' and before ~= ',' then assign(name) end
         elseif #chain > 1 then
            local is_tested = TESTS_BEFORE[before] or TESTS_AFTER[tokens[at][1]] or false
            if is_tested then found.tested[chain[#chain]] = true end
            insert(found.fields, { chain, line, is_tested })
         end
         if #chain > 1 then returned(at, { class = chain }) end
         if accepted_options[name] then note_options(name, at) end
         if given and (name == 'require' or RUNS[name]) then
            insert(found.modules, { given, line, name })
         elseif given and (name == 'torch.class' or name == 'class') then
            found.defined[given] = true
         elseif given and name == 'ffi.load' then
            insert(found.libraries, { given, line })
         elseif given and name == 'torch.save' then
            found.written[given] = true
         elseif given and READS[name] then
            local mode = tokens[at + 2][1] == ',' and text_of(tokens[at + 3])
            if mode and find(mode, '^[wa]') then
               found.written[given] = true
            elseif not find(given, '^%s*$') then
               insert(found.files, { (gsub(given, '^~', os.getenv 'HOME' or '~')), line, name })
            end
         end
         i = at - 1
      elseif kind == 'name' and before == '.' and tokens[i + 1][1] == '=' then
         found.defined[':' .. text] = true
      elseif kind == '[' and text_of(tokens[i + 1]) and tokens[i + 2][1] == ']' and tokens[i + 3][1] == '=' then
         found.defined[':' .. text_of(tokens[i + 1])] = true
         if before == 'name' then found.defined[tokens[i - 1][2] .. '.' .. text_of(tokens[i + 1])] = true end
      elseif kind == ']' and tokens[i + 1][1] == '=' and tokens[i + 2][1] == 'function' then
         found.defined[':*'] = true
      end
      i = i + 1
   end
   for name in next, hidden do found.aliases[name] = nil end
   for _, name in ipairs { 'self', '_' } do found.locals[name] = true end
   return found
end
