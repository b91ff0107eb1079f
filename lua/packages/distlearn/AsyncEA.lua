-- distlearn.AsyncEA(server, serverBroadcast, client, clientBroadcast, serverTest, clientTest, numNodes, nodeIndex, tau,
-- alpha): elastic averaging with a server (Zhang, Choromanska and LeCun, 2015). The server keeps a center; each client
-- trains its own parameters, and after every `tau` steps, at any time, they and the center move towards each other by
-- the fraction `alpha` of the difference. A process passes its own ends of the connections: the server its three, a
-- client its two, a tester its one; nil for the others.

local check, elements = require 'torch.base.check', require 'mpi.elements'

local NAME = 'AsyncEA'

local function list_of(parameters)
   local list = {}
   elements.each(NAME, parameters, function(t) list[#list + 1] = t end)
   if #list == 0 then check.fail(NAME, 'parameters without tensors') end
   return list
end

local function send_all(list, connection)
   for _, t in ipairs(list) do connection:send(t) end
end

local function receive_all(list, connection)
   for _, t in ipairs(list) do connection:recv(t) end
end

local function copied(list)
   local copy = {}
   for i, t in ipairs(list) do copy[i] = t:clone() end
   return copy
end

-- The socket of a name; which sockets a process has determines its role.
local function needed(socket, method, name)
   if not socket then check.fail(NAME .. '.' .. method, 'expected %s (got nil)', name) end
   return socket
end

return function(server, serverBroadcast, client, clientBroadcast, serverTest, clientTest, numNodes, _, tau, alpha)
   serverBroadcast, clientBroadcast = serverBroadcast or server, clientBroadcast or client
   if server then check.size(NAME, 'numNodes', numNodes) end
   if client then
      check.size(NAME, 'tau', tau)
      check.number(NAME, 'alpha', alpha)
   end
   local center, difference       -- lists of tensors, in the order of the parameters
   local steps = 0
   local ea = {}

   -- Waits for all clients, and gives them the parameters, which are the first center.
   function ea.initServer(parameters)
      center = copied(list_of(parameters))
      needed(server, 'initServer', 'a server'):clients(numNodes, function() end)
      serverBroadcast:clients(numNodes, function(each) send_all(center, each) end)
   end

   -- Waits for a client that has made its steps, moves the center towards it, and copies the center into the
   -- parameters.
   function ea.syncServer(parameters)
      if not center then check.fail(NAME .. '.syncServer', 'called before initServer') end
      local _, from = needed(server, 'syncServer', 'a server'):recvAny()
      send_all(center, from)
      difference = difference or copied(center)
      receive_all(difference, from)
      for i, t in ipairs(list_of(parameters)) do t:copy(center[i]:add(difference[i])) end
   end

   -- Fills the parameters with the center of the server.
   function ea.initClient(parameters)
      local list = list_of(parameters)
      receive_all(list, needed(clientBroadcast, 'initClient', 'a client'))
      center = copied(list)
      steps = 0
   end

   -- Counts a step. After each `tau` of them moves the parameters towards the center, and tells the server.
   function ea.syncClient(parameters)
      if not center then check.fail(NAME .. '.syncClient', 'called before initClient') end
      needed(client, 'syncClient', 'a client')
      steps = steps + 1
      if steps % tau ~= 0 then return end
      client:send 'sync'
      receive_all(center, client)
      difference = difference or copied(center)
      for i, t in ipairs(list_of(parameters)) do
         difference[i]:copy(t):add(-1, center[i]):mul(alpha)
         t:add(-1, difference[i])
      end
      send_all(difference, client)
   end

   -- Gives the center to the tester, which waits for it in `startTest`.
   function ea.testNet()
      if not center then check.fail(NAME .. '.testNet', 'called before initServer') end
      needed(serverTest, 'testNet', 'a server of testers'):clients(1, function(each) send_all(center, each) end)
   end

   -- A tester has nothing to begin with.
   function ea.initTester() end

   -- Waits for the next center, and fills the parameters with it.
   function ea.startTest(parameters)
      receive_all(list_of(parameters), needed(clientTest, 'startTest', 'a client of testers'))
   end

   return ea
end
