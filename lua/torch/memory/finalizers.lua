-- Finalizers of programs. The collector calls them at any allocation, possibly in the middle of an operation of the
-- library, whose scratch memory they would use as well, and they cannot tell from the stack. So they are queued until a
-- hook finds the program's own code running, or the program collects garbage or ends.

local gethook, getinfo, sethook = debug.gethook, debug.getinfo, debug.sethook
local debug_getmetatable, sort = debug.getmetatable, table.sort
local getmetatable, ipairs, newproxy, next, pcall = getmetatable, ipairs, newproxy, next, pcall
local rawget, rawset, setmetatable, tostring, type = rawget, rawset, setmetatable, tostring, type
local gc, notice = require('ffi').gc, require 'torch.base.notice'
local errors = require 'torch.base.errors'
local is_library = errors.is_library

local finalizers = {}

local waiting, first, last = {}, 1, 0     -- functions and their objects, two entries for each

-- True once the state is being closed.
finalizers.ending = false

local function call(run, object)
   local ok, message = pcall(run, object)
   -- LuaJIT's own wording.
   if not ok then notice('ERROR in finalizer: ' .. tostring(message)) end
end

-- Runs the queued finalizers; those queued meanwhile wait for the next time.
function finalizers.run()
   local stop = last
   while first <= stop do
      local run, object = waiting[first], waiting[first + 1]
      waiting[first], waiting[first + 1] = nil, nil
      first = first + 2
      call(run, object)
   end
end

-- The program's hook that ours replaces, with its mask and count.
local theirs = {}

local function look()
   if is_library(getinfo(2, 'S').source) then return end
   sethook(theirs[1], theirs[2], theirs[3])
   finalizers.run()
end

-- The proxies of the program that are not yet finalized, by their number, from 1.
local numbers, last_number = setmetatable({}, { __mode = 'k' }), 0

-- Returns a finalizer that calls run(object) when that is safe, by a hook; the program's hook is restored after it.
local function deferred(run)
   return function(object)
      numbers[object] = nil
      if finalizers.ending then return call(run, object) end
      last = last + 2
      waiting[last - 1], waiting[last] = run, object
      local hook, mask, count = gethook()
      if hook == look or type(hook) == 'string' then return end
      theirs = { hook, mask, count }
      sethook(look, '', 1)
   end
end

-- At the end of a state all run at once, the newest first: no code of the library is active then, and what they may use
-- is still there.
function finalizers.finish()
   finalizers.ending = true
   finalizers.run()
   local living = {}
   for proxy, n in next, numbers do living[#living + 1] = { n = n, proxy = proxy } end
   sort(living, function(a, b) return a.n > b.n end)
   local spent = {}
   for _, entry in ipairs(living) do
      local metatable = debug_getmetatable(entry.proxy)
      local run = metatable and rawget(metatable, '__gc')
      if type(run) == 'function' then
         spent[#spent + 1] = metatable
         call(run, entry.proxy)
      end
   end
   for _, metatable in ipairs(spent) do rawset(metatable, '__gc', nil) end
end

-- Programs finalize cdata by the FFI, and userdata by newproxy. `package.loaded.ffi` is theirs: `require` gives the
-- library a copy.
local guarded = setmetatable({}, { __mode = 'kv' })

local function guard(run)
   if not guarded[run] then guarded[run] = deferred(run) end
   return guarded[run]
end

function package.loaded.ffi.gc(object, run) return gc(object, type(run) == 'function' and guard(run) or run) end

-- The metatable of a proxy takes its finalizer from here.
local proxies = {}
function proxies.__newindex(metatable, key, value)
   if key == '__gc' and type(value) == 'function' then value = guard(value) end
   rawset(metatable, key, value)
end

function _G.newproxy(kind)
   if finalizers.ending then errors.raise 'newproxy: the program is at its end' end
   local proxy = newproxy(kind)
   if kind == true then setmetatable(getmetatable(proxy), proxies) end
   if kind then
      last_number = last_number + 1
      numbers[proxy] = last_number
   end
   return proxy
end

-- ffi.gc as LuaJIT has it.
finalizers.gc = gc

return finalizers
