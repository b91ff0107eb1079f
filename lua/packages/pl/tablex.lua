-- pl.tablex: the functions of tables.lua, which return lists with all of their methods.

require 'pl.List'
return require 'pl.tables'
