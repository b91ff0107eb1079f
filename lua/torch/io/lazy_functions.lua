-- Functions of a file: stubs (language/stubs.lua) that load their bytecode when they are first called. None may
-- be called while its file is read, since read methods of classes run, and may call any field.

local bytecode, errors = require 'torch.io.bytecode', require 'torch.base.errors'
local stubs = require 'torch.language.stubs'

local lazy_functions = {}

-- Upvalues are cells, { name =, value = }, which functions of a file share. Once a function has one, its upvalue is the
-- place of the value: `f` and `i`.
local function give_upvalues(f, cells)
   for i = 1, #cells do
      local cell = cells[i]
      -- Damaged files have more values than the function has upvalues.
      if debug.getupvalue(f, i) == nil then return end
      if cell.f then
         debug.upvaluejoin(f, i, cell.f, cell.i)
      else
         debug.setupvalue(f, i, cell.value)
         cell.f, cell.i, cell.value = f, i, nil
      end
   end
end

-- The value of a cell, and what is equal for those that are the same upvalue.
function lazy_functions.value_of(cell)
   if not cell.f then return cell.value, cell end
   local _, value = debug.getupvalue(cell.f, cell.i)
   return value, debug.upvalueid(cell.f, cell.i)
end

local function load(record)
   local group = record.group
   if not group.released then
      errors.raise('%s: a function from the file is called while its objects are read', record.name)
   end
   local f, reason = nil, record.refused
   if not reason then f, reason = bytecode.load(record.code) end
   if not f then
      local message = string.format('this function was read from %s (byte %.0f) and cannot run: %s', record.name,
         record.at, reason)
      -- Raised at each call, at the place of the call; the rest of the file remains usable.
      error(message, 3)
   end
   record.f = f
   give_upvalues(f, record.cells)
   return f
end

-- Returns a stub for the function with bytecode `code`, at byte `at` of the file `name`, and its record, whose
-- `cells` the caller fills. `r` is the reader; `refused` says why the function must not run.
function lazy_functions.retain(r, code, name, at, refused)
   local group = r.held or { released = false }
   r.held = group
   local record = { group = group, code = code, name = name, at = at, refused = refused, cells = {}, make = load }
   return stubs.add(function(...)
      local f = record.f or load(record)
      return f(...)
   end), record
end

-- Lets the functions that a reader has read be called.
function lazy_functions.release(r)
   if r.held then r.held.released = true end
   r.held = nil
end

return lazy_functions
