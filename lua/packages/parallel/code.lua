-- Functions sent to another process: their bytecode and upvalues. Packages among the upvalues are sent by name, since
-- the other process has its own.

local dump, getupvalue, loadstring, setupvalue = string.dump, debug.getupvalue, loadstring, debug.setupvalue
local bytecode, check = require 'torch.language.bytecode', require 'torch.base.check'
local stubs = require 'torch.language.stubs'
local loaded = package.loaded

local code = {}

local function module_of(value)
   if type(value) ~= 'table' then return nil end
   for name, module in pairs(loaded) do
      if module == value then return name end
   end
end

local function packed_value(value, depth)
   local module = module_of(value)
   if module then return { module = module } end
   if type(value) == 'function' then return { code = code.pack(value, depth + 1) } end
   return { value = value }
end

-- Returns a table that torch.serialize takes, for a function or source text.
function code.pack(f, depth)
   depth = depth or 0
   if type(f) == 'string' then return { source = f } end
   if depth > 50 then check.fail('exec', 'functions refer to each other more than 50 deep') end
   f = stubs.real(f)
   local ok, text = pcall(dump, f)
   if not ok then check.fail('exec', 'a function of C cannot go to another process') end
   local upvalues, i = {}, 1
   local name, value = getupvalue(f, i)
   while name do
      -- A function that refers to itself finds itself there.
      upvalues[i] = value == f and { itself = true } or packed_value(value, depth)
      i = i + 1
      name, value = getupvalue(f, i)
   end
   return { dump = text, upvalues = upvalues }
end

local function unpacked_value(entry, f)
   if entry.module == '_G' then return _G end
   if entry.module then return require(entry.module) end
   if entry.itself then return f end
   if entry.code then return code.unpack(entry.code) end
   return entry.value
end

-- Returns the function. Raises an error of syntax.
function code.unpack(entry)
   local f, why
   if entry.dump then f, why = bytecode.load(entry.dump) else f, why = loadstring(entry.source, '=parallel') end
   if not f then check.fail('exec', '%s', why) end
   for i, upvalue in pairs(entry.upvalues or {}) do setupvalue(f, i, unpacked_value(upvalue, f)) end
   return f
end

return code
