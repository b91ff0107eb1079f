-- Lazy loading of functions and classes, since Lua's collector marks everything that is loaded. See
-- docs/decisions/0009-lazy-loading.md.

local class_registry = require 'torch.base.class_registry'
local uninterruptible, userclass = require 'torch.base.uninterruptible', require 'torch.class.userclass'

local lazy = {}

local group_of = {}       -- stub function or methods of a class -> its group

local function complete(group)
   for _, methods in ipairs(group.classes) do userclass.settle(methods) end
   -- A program's replacement of a function stays.
   local target, changed = group.target, {}
   for name, f in pairs(group.stubs) do
      if rawget(target, name) ~= f then changed[name] = { rawget(target, name) } end
   end
   group.fill()
   for name in pairs(group.stubs) do
      group.functions[name] = target[name]
      if changed[name] then target[name] = changed[name][1] end
   end
end

local load

local function load_group(methods) load(group_of[methods]) end

local function complete_or_not(group)
   group.loaded = true
   local ok, why = pcall(complete, group)
   if not ok then
      -- Out of memory, or a file is missing: the next use tries again.
      group.loaded = false
      for _, methods in ipairs(group.classes) do userclass.defer(methods, load_group) end
      error(why, 0)
   end
end

function load(group)
   if not group.loaded then uninterruptible.load(complete_or_not, group) end
end

-- A group of functions that fill() defines in the table `target` when one of their stubs is first called.
function lazy.functions(target, names, fill)
   local group = { target = target, fill = fill, functions = {}, stubs = {}, classes = {} }
   for _, name in ipairs(names) do
      local function f(...)
         load(group)
         return group.functions[name](...)
      end
      group_of[f], group.stubs[name], target[name] = group, f, f
   end
   return group
end

-- Adds a class: the group's fill() gives it its methods.
function lazy.class(group, methods)
   group.classes[#group.classes + 1], group_of[methods] = methods, group
   userclass.defer(methods, load_group)
end

-- Methods tables -> the functions that define their methods, and the arguments of those.
local fills, arguments = {}, {}

local function fill(methods)
   userclass.settle(methods)
   fills[methods](methods, arguments[methods])
end

local load_methods

local function fill_or_not(methods)
   local ok, why = pcall(fill, methods)
   if not ok then
      userclass.defer(methods, load_methods)
      error(why, 0)
   end
   fills[methods], arguments[methods] = nil, nil
end

function load_methods(methods) uninterruptible.load(fill_or_not, methods) end

-- define(methods, what) defines the methods of a class when a program first looks one up.
function lazy.methods(methods, define, what)
   fills[methods], arguments[methods] = define, what
   userclass.defer(methods, load_methods)
end

-- The real function of a stub; any other function itself.
function lazy.real(f)
   local group = f ~= nil and group_of[f]
   if not group then return f end
   load(group)
   for name, stub in pairs(group.stubs) do
      if stub == f then return group.functions[name] end
   end
end

class_registry.real = lazy.real

return lazy
