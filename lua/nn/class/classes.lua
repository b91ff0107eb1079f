-- Declares the classes of nn, whose methods are loaded when a program first uses them. All classes exist from the
-- start, so that programs find them in `nn`, torch.load finds them by name, and patches apply to the real methods.
--
-- A chapter is a folder whose init.lua returns a list of rows { class, parent [, file] }. The file returns
-- function(Class, parent, nn, name), which defines the methods of the class; without a name it is
-- <Class>.lua. `takes` says what the arguments of the constructor are, and `fields = true` that it keeps them,
-- see constructors.lua; `buffers` lists the fields that clearState empties, besides output and gradInput,
-- `forgets` those that it drops, `transient` those that a change of the type drops as well; it makes new tables of
-- `renewed`, fields that hold tensors of the program. `version` is that of the class in files, 1 by default, by which
-- Torch7 recognizes the objects that lack fields. `text` is printed after the name of the class: a format and the
-- names of the fields for it. reference.lua lists the fields that document a class.
--
-- The field `functions` of the list has rows { table of nn or '' for nn itself, file, names }: functions that are
-- loaded later too; their file returns function(table, nn), which defines them.

local torch = require 'torch'
local class_registry, lazy = require 'torch.base.class_registry', require 'torch.class.lazy'
local calls = require 'nn.class.calls'

local classes = {
   chapters = {},   -- the lists of nn in their order, with their names
   rows = {},       -- the rows of all packages, by class
}

local function drop(object, fields)
   for _, field in ipairs(fields or {}) do object[field] = nil end
end

-- Adds `type` and `clearState` for the additional fields of a row, before those of the class. Criterions have no
-- clearState.
local function add_clearing(nn, methods, base, row)
   local change_type, clear = rawget(methods, 'type'), rawget(methods, 'clearState')
   if row.transient or row.renewed then
      function methods.type(self, name, cache)
         if name then
            drop(self, row.transient)
            for _, field in ipairs(row.renewed or {}) do self[field] = {} end
         end
         return (change_type or base.type)(self, name, cache)
      end
   end
   if not base.clearState then return end
   function methods.clearState(self)
      nn.utils.clear(self, row.buffers or {})
      drop(self, row.forgets)
      drop(self, row.transient)
      return (clear or base.clearState)(self)
   end
end

-- Returns a method __tostring__ for a format and the names of its fields.
local function printing(form, ...)
   local fields = { ... }
   return function(self)
      local values = {}
      for i, field in ipairs(fields) do values[i] = self[field] end
      return torch.type(self) .. string.format(form, unpack(values, 1, #fields))
   end
end

-- Wraps f(self) so that a frame with `self` stays on the stack: f may end with a tail call of `format`, and then
-- field_errors.lua could not tell whose field an error is about.
local function with_a_frame(f)
   return f and function(self)
      local text = f(self)
      return text
   end
end

-- Adds the classes and functions of a chapter to nn. Another package names its own folder: 'rnn'.
function classes.declare(nn, chapter, rows, package)
   local folder = (package or 'nn.' .. chapter) .. '.'
   local function define(methods, row)
      local name, parent = row[1], row[2]
      local base = parent and class_registry.metatable('nn.' .. parent)
      require(folder .. (row[3] or name))(methods, base, nn, name)
      if chapter ~= 'containers' then calls.wrap(methods) end
      local constructors = (row.fields or row.takes) and require 'nn.class.constructors'
      if row.fields then
         methods.__init = constructors.with_fields(row, base, classes.rows['nn.' .. parent], rawget(methods, '__init'))
      end
      if row.buffers or row.forgets or row.transient or row.renewed then add_clearing(nn, methods, base, row) end
      if row.text then methods.__tostring__ = printing(unpack(row.text)) end
      methods.__tostring__ = with_a_frame(rawget(methods, '__tostring__'))
      if row.takes then methods.__init = constructors.checked(name, methods.__init, row.takes) end
   end
   if not package then
      rows.name = chapter
      table.insert(classes.chapters, rows)
   end
   for _, row in ipairs(rows) do
      row.chapter = rows
      classes.rows['nn.' .. row[1]] = row
      local methods = torch.class('nn.' .. row[1], row[2] and 'nn.' .. row[2], nn)
      methods.__version = row.version or 1
      lazy.methods(methods, define, row)
   end
   for _, row in ipairs(rows.functions or {}) do
      local target, file = nn, row[2]
      if row[1] ~= '' then
         nn[row[1]] = nn[row[1]] or {}
         target = nn[row[1]]
      end
      lazy.functions(target, row[3], function() require(folder .. file)(target, nn) end)
   end
end

return classes
