-- Applies layers (layers.lua) to the methods and operators of tensors. Methods defined by a program are kept.

local class_registry = require 'torch.base.class_registry'
local install, layers = require 'torch.dispatch.install', require 'torch.dispatch.layers'
local original_packages = require 'torch.dispatch.original_packages'
local undefined_operators = require 'torch.tensor.undefined_operators'

local method_tables = {}

-- A record for each table: { T, to = the table, given = its functions as defined, now = the same with the layers, key
-- = the kind of the layers' functions, operators = the operators that are methods too }.
local records = {}

local function changed(record, name, f)
   local event = type(name) == 'string' and string.match(name, '^(__%l+)__$')
   if event and record.operators and record.operators[event] == f then
      local operator = layers.apply('operator', f, record.T, event)
      return not undefined_operators.has(operator) and operator or nil
   end
   return layers.apply(record.key, f, record.T, name)
end

local function put(record)
   local to, now = record.to, record.now
   for name, f in next, record.given do
      local new = changed(record, name, f)
      if new ~= now[name] and rawget(to, name) == now[name] then rawset(to, name, new) end
      now[name] = new
   end
end

local function new_record(T, key, to, operators)
   local record = { T = T, key = key, to = to, given = {}, now = {}, operators = operators }
   for name, f in next, to do
      if type(f) == 'function' then record.given[name], record.now[name] = f, f end
   end
   records[#records + 1] = record
   return record
end

-- Records the tables of a type as its parts made them, and applies the active layers.
function method_tables.keep(T, methods, operators)
   local of_operators = new_record(T, 'operator', operators)
   put(new_record(T, 'method', methods, of_operators.given))
   put(of_operators)
end

-- A function that makes an operation at its first call and replaces itself. A program may have kept a reference to it.
function method_tables.stub(T, methods, name)
   local method
   local function f(...)
      if not method then
         method = install.method(T, name)
         if rawget(methods, name) == f then rawset(methods, name, method) end
      end
      return method(...)
   end
   return f
end

-- Discards operations among the methods, which are remade on use. A table that a program has inspected keeps their
-- names.
local function forget_operations(T, methods)
   local shown = class_registry.is_methods(methods)
   for name, f in next, methods do
      if install.is_made(f, name) then
         local row = install.row(name)
         local there = shown and install.has(row, T, 'method') and not original_packages.hides(row)
         rawset(methods, name, there and method_tables.stub(T, methods, name) or nil)
      end
   end
end

layers.watch(function()
   for _, record in next, records do
      if record.key == 'method' then forget_operations(record.T, record.to) end
      put(record)
   end
end)

return method_tables
