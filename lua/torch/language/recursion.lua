-- Limits of recursion through functions of C, whose stack LuaJIT does not check and whose end is that of the process:
-- coroutines within each other, and gsub, which has a buffer of 8 kB there while a function gives the replacement.

local error, require, setmetatable, tonumber, tostring, type = error, require, setmetatable, tonumber, tostring, type
local getinfo, metatable_of, running = debug.getinfo, debug.getmetatable, coroutine.running
local format, huge = string.format, math.huge

local recursion = {}

local MAX_DEPTH = 10000              -- nested coroutines, each of which takes 80 bytes of C's stack
local FRAMES, THREADS = 100, 4     -- the depth of calls, or of coroutines, from which on gsub runs in Lua

local depths = setmetatable({}, { __mode = 'k' })     -- of coroutines that others began

local function depth_of_next()
   local current = running()
   local depth = current and (depths[current] or 1) + 1 or 1
   if depth > MAX_DEPTH then error(format('stack overflow (%d coroutines within each other)', MAX_DEPTH), 3) end
   return depth
end

-- Makes coroutines count how deeply they are nested in others.
function recursion.limit_coroutines(coroutine)
   local create, wrap = coroutine.create, coroutine.wrap

   function coroutine.create(f)
      if type(f) ~= 'function' then return create(f) end
      local depth, thread = depth_of_next(), create(f)
      if depth > 1 then depths[thread] = depth end
      return thread
   end

   function coroutine.wrap(f)
      local depth = type(f) == 'function' and depth_of_next() or 1
      if depth == 1 then return wrap(f) end
      return wrap(function(...)
         depths[running()] = depth
         return f(...)
      end)
   end
end

local function is_deep()
   local current = running()
   return getinfo(FRAMES, 'l') ~= nil or current and (depths[current] or 1) > THREADS
end

local function text_of(value)
   local kind = type(value)
   return kind == 'string' and value or kind == 'number' and tostring(value) or nil
end

-- Replaces gsub by one in Lua deep in a recursion, if its replacements run code of the program.
function recursion.limit_gsub(string)
   local gsub = string.gsub

   function string.gsub(s, pattern, repl, max_count)
      local kind = type(repl)
      if kind == 'function' or kind == 'table' and metatable_of(repl) then
         local text, form, limit = text_of(s), text_of(pattern), max_count == nil and huge or tonumber(max_count)
         if text and form and limit and is_deep() then
            return require 'torch.language.substitute'(text, form, repl, limit)
         end
      end
      return gsub(s, pattern, repl, max_count)
   end
end

return recursion
