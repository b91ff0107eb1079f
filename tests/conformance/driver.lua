-- Runs conformance cases and writes what each printed and which error stopped it.
-- usage: t7 driver.lua CASES.lua RESULTS DEFAULT_TYPE
--   CASES.lua returns an array of { id = string, code = string }.
--   RESULTS gets one record a case: "<bytes of id> <bytes of output> <bytes of error or -1>\n", then these bytes.
-- Every case has a separate environment over the globals, the default tensor type and a seeded generator.
-- The functions that print are replaced while a case runs.
-- luacheck: globals print io.write

local cases_file, results_file, default_type = arg[1], arg[2], arg[3]
local print_there, write_there = print, io.write

local function capture(pieces)
   local function write(...)
      for i = 1, select('#', ...) do pieces[#pieces + 1] = tostring((select(i, ...))) end
      return io.stdout
   end
   local function show(...)
      local words = {}
      for i = 1, select('#', ...) do words[i] = tostring((select(i, ...))) end
      pieces[#pieces + 1] = table.concat(words, '\t') .. '\n'
   end
   return show, write
end

local function run(case)
   local pieces = {}
   print, io.write = capture(pieces)
   local environment = setmetatable({ print = print }, { __index = _G })
   environment._G = environment
   torch.setdefaulttensortype(default_type)
   torch.manualSeed(1)
   local chunk, message = loadstring(case.code, '=case')
   local ok = chunk ~= nil
   if ok then ok, message = pcall(setfenv(chunk, environment)) end
   print, io.write = print_there, write_there
   return table.concat(pieces), not ok and tostring(message) or nil
end

local results = assert(io.open(results_file, 'wb'))
for _, case in ipairs(dofile(cases_file)) do
   local output, message = run(case)
   results:write(string.format('%d %d %d\n', #case.id, #output, message and #message or -1))
   results:write(case.id, output, message or '')
   -- A crash in a later case must not lose earlier results.
   results:flush()
end
results:close()
