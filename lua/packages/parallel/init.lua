-- parallel: processes on this machine that run functions and exchange values with the one that forked them. Each is a
-- new t7, which has loaded only the modules of the shell.

local concat, error, format, ipairs = table.concat, error, string.format, ipairs
local host = require('torch.native.host').of 'parallel'
local check, dialect = require 'torch.base.check', require 'torch.base.dialect'
local channel, code = require 'parallel.channel', require 'parallel.code'

-- `nchildren` is the number of children that have not been waited for with sync, `remotes` what addremote was told.
local parallel = { id = 0, ip = '127.0.0.1', nchildren = 0, parent = { id = -1 } }
rawset(_G, 'parallel', parallel)

local DATA, JOINED, SYNCED = { data = true }, { joined = true }, { synced = true }
local LOCAL = { ['127.0.0.1'] = true, localhost = true }

local Child = {}
Child.__index = Child
-- Methods of several children: each is called for all of them.
local Children = {}
Children.__index = Children

local function new_group() return setmetatable({}, Children) end

parallel.children = new_group()
local count = 0

-- Runs a function, or source text, in the child, after earlier ones.
function Child:exec(f)
   if type(f) ~= 'string' then check.kind('exec', 'argument 1', f, 'function') end
   self._channel:send('exec', code.pack(f))
end

-- Sends any value that torch.serialize takes; does not wait.
function Child:send(value) self._channel:send('data', value) end

-- Returns the next value that the child sends; with `no_wait` nil if there is none yet.
function Child:receive(no_wait) return (self._channel:receive(DATA, no_wait)) end

-- Waits until the child calls parallel.yield, or has nothing to do; yield returns the message.
function Child:join(message)
   self._channel:send('join', message)
   self._channel:receive(JOINED)
end

local function synced(child)
   child._channel:receive(SYNCED)
   if child._counts then
      child._counts, parallel.nchildren = false, parallel.nchildren - 1
   end
end

-- Waits until the child has done all that it was given. From then on it is not counted.
function Child:sync()
   self._channel:send('sync')
   synced(self)
end

function Child:close() host.close(self._channel.peer) end
function Child:running() return host.alive(self._channel.peer) end
function Child:__tostring() return 'parallel.child ' .. self.id end

for _, name in ipairs { 'exec', 'send', 'join', 'close' } do
   Children[name] = function(self, value)
      for _, child in ipairs(self) do child[name](child, value) end
   end
end

-- All are asked before the first is waited for.
function Children:join(message)
   for _, child in ipairs(self) do child._channel:send('join', message) end
   for _, child in ipairs(self) do child._channel:receive(JOINED) end
end

function Children:sync()
   for _, child in ipairs(self) do child._channel:send 'sync' end
   for _, child in ipairs(self) do synced(child) end
end

-- Returns a list of a value from each.
function Children:receive(no_wait)
   local values = {}
   for i, child in ipairs(self) do values[i] = child:receive(no_wait) end
   return values
end

local function check_local(name, ip)
   if ip == nil or LOCAL[ip] then return end
   check.fail(name, "processes run on this machine only (got '%s'); the package mpi reaches others", tostring(ip))
end

-- Starts a process and returns it.
function parallel.fork(ip)
   check_local('parallel.fork', ip)
   local peer, why = host.start(dialect.name)
   if not peer then check.fail('parallel.fork', '%s', why) end
   count = count + 1
   local id = count
   local child = setmetatable({ id = id, ip = parallel.ip, _counts = true }, Child)
   child._channel = channel.new(peer, function(reason, is_error)
      if is_error then error(format('parallel: child %d: %s', id, reason), 0) end
      check.fail('parallel', 'child %d sends nothing more: %s', id, reason)
   end)
   child._channel:send('begin', { id = id, path = package.path, cpath = package.cpath })
   parallel.children[#parallel.children + 1] = child
   parallel.nchildren = parallel.nchildren + 1
   return child
end

-- Starts `number` processes and returns them; { number, ip, ... } is accepted, too.
function parallel.nfork(...)
   local group = new_group()
   for i = 1, select('#', ...) do
      local entry = (select(i, ...))
      local number, ip = entry, nil
      if type(entry) == 'table' then number, ip = entry[1], entry[2] end
      for _ = 1, check.integer('parallel.nfork', 'number of processes', number, 0) do
         group[#group + 1] = parallel.fork(ip)
      end
   end
   return group
end

-- The same: all processes are on this machine.
function parallel.sfork(number) return parallel.nfork(number) end

-- { ip, cores } of this machine, in a list or one after the other: parallel.remotes lists them, with their cores.
function parallel.addremote(...)
   local entries = { ... }
   if type(entries[1]) == 'table' and type(entries[1][1]) == 'table' then entries = entries[1] end
   for i, remote in ipairs(entries) do
      check_local('parallel.addremote', check.kind('parallel.addremote', 'argument ' .. i, remote, 'table').ip)
      parallel.remotes = parallel.remotes or { cores = 0 }
      table.insert(parallel.remotes, remote)
      parallel.remotes.cores = parallel.remotes.cores + (remote.cores or 1)
   end
end

function parallel.calibrate() end

-- Ends all children.
function parallel.close()
   parallel.children:close()
   parallel.children, parallel.nchildren = new_group(), 0
end

-- Ends all children, and forgets what addremote was told.
function parallel.reset()
   parallel.close()
   parallel.remotes = nil
end

-- Calls a function and ends all children after it, also when it fails; returns its results.
function parallel.run(f, ...)
   check.callable('parallel.run', 'argument 1', f)
   local arguments, n = { ... }, select('#', ...)
   local function finish(ok, ...)
      parallel.close()
      if not ok then error((...), 0) end
      return ...
   end
   return finish(xpcall(function() return f(unpack(arguments, 1, n)) end, function(reason)
      return type(reason) == 'string' and debug.traceback(reason, 2) or reason
   end))
end

-- Prints with the number of the process, by one write: `print` makes two, between which others may write.
function parallel.print(...)
   local words = {}
   for i = 1, select('#', ...) do words[i] = tostring((select(i, ...))) end
   io.write(format('<parallel#%03d> %s\n', parallel.id, concat(words, '\t')))
end

-- Makes this process child `id`, with the channel to its parent.
function parallel._become(id, up)
   parallel.id = id
   parallel.parent = {
      id = 0,
      send = function(_, value) up:send('data', value) end,
      receive = function(_, no_wait) return (up:receive(DATA, no_wait)) end,
   }
   -- Waits for `join` of the parent, and returns its message.
   function parallel.yield()
      local message = up:receive { join = true }
      up:send('joined', true)
      return message
   end
end

function parallel.yield() check.fail('parallel.yield', 'called outside of a child') end

return parallel
