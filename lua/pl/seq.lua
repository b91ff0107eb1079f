-- pl.seq: sequences, which are lists or iterators. seq(values) is one with the functions below as methods, each of
-- which gives another one: seq(list):filter('>', 1):map('_ * 2'):copy().

local getmetatable, ipairs, require, select, setmetatable, sort, type =
   getmetatable, ipairs, require, select, setmetatable, table.sort, type
local utils = require 'pl.utils'

local seq, chain = {}, {}

-- Returns the iterator of a list; iterators are returned as they are.
function seq.iter(values)
   if type(values) == 'function' then return values end
   if getmetatable(values) == chain then return values.iterator end
   local i = 0
   return function()
      i = i + 1
      return values[i]
   end
end
seq.list = seq.iter

function seq.copy(values)
   local list = {}
   for value in seq.iter(values) do list[#list + 1] = value end
   return require('pl.List')(list)
end

function seq.range(first, last)
   if not last then first, last = 1, first end
   local value = first - 1
   return function()
      value = value + 1
      if value <= last then return value end
   end
end

function seq.map(f, values, argument)
   f = utils.function_arg(1, f)
   local next_value = seq.iter(values)
   return function()
      local value = next_value()
      if value ~= nil then return f(value, argument) end
   end
end

function seq.filter(values, condition, argument)
   condition = utils.function_arg(2, condition)
   local next_value = seq.iter(values)
   return function()
      for value in next_value do
         if condition(value, argument) then return value end
      end
   end
end

function seq.reduce(f, values, first)
   f = utils.function_arg(1, f)
   local next_value, result = seq.iter(values), first
   if result == nil then result = next_value() end
   for value in next_value do result = f(result, value) end
   return result
end

function seq.sum(values, f)
   local total, count = 0, 0
   f = f and utils.function_arg(2, f)
   for value in seq.iter(values) do
      total, count = total + (f and f(value) or value), count + 1
   end
   return total, count
end

function seq.count(values, condition, argument)
   local n = 0
   for _ in seq.filter(values, condition, argument) do n = n + 1 end
   return n
end

function seq.minmax(values)
   local least, most
   for value in seq.iter(values) do
      if least == nil or value < least then least = value end
      if most == nil or value > most then most = value end
   end
   return least, most
end

function seq.sort(values, less)
   local list = seq.copy(values)
   sort(list, less)
   return seq.iter(list)
end

function seq.take(values, n)
   local next_value, i = seq.iter(values), 0
   return function()
      i = i + 1
      if i <= n then return next_value() end
   end
end

function seq.foreach(values, f)
   for value in seq.iter(values) do f(value) end
end

-- Pairs the values of two sequences.
function seq.zip(a, b)
   local first, second = seq.iter(a), seq.iter(b)
   return function() return first(), second() end
end

function seq.enum(list)
   return ipairs(list)
end

-- Calls a method of all elements and returns the results.
function seq.mapmethod(values, name, argument)
   return seq.map(function(value) return value[name](value, argument) end, values)
end

local function chained(values) return setmetatable({ iterator = seq.iter(values) }, chain) end

-- These take the sequence as their second argument.
local SECOND = { map = true, reduce = true }

-- Any other name is that of a method of the elements.
function chain.__index(_, name)
   local f = seq[name]
   return function(self, ...)
      local result
      if not f then
         result = seq.mapmethod(self.iterator, name, ...)
      elseif SECOND[name] then
         local first = ...
         result = f(first, self.iterator, select(2, ...))
      else
         result = f(self.iterator, ...)
      end
      return type(result) == 'function' and chained(result) or result
   end
end

function chain:__call() return self.iterator() end

setmetatable(seq, { __call = function(_, values) return chained(values) end })

return seq
