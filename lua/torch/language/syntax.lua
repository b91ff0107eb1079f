-- Lua 5.2 syntax that LuaJIT accepts only in some builds: empty statements, `break` before other statements, and calls
-- whose bracket starts a line. Source that does not compile is rewritten; its lines are kept.

local reader = require('torch.language.tokens').reader

local syntax = {}

local ENDS_BLOCK = { ['end'] = true, ['else'] = true, ['elseif'] = true, ['until'] = true, ['end of source'] = true }
-- Tokens after which a statement begins.
local BEGINS_BLOCK = { ['do'] = true, ['then'] = true, ['else'] = true, ['repeat'] = true, [';'] = true }
-- Tokens that may end the expression before a call.
local CALLABLE = { name = true, string = true, [')'] = true, [']'] = true, ['}'] = true }

-- Returns a list of { from, to, text }: `text` replaces from..to.
local function changes_of(source)
   local changes, next_token = {}, reader(source)
   local open, depth = {}, 0            -- kinds of the brackets and blocks that are open
   local previous, previous_end = ';', 0
   local header                          -- whether the parameters of a function are to come
   local waiting                         -- a `break` and where it ends, whose next token is not known
   local function change(from, to, text) changes[#changes + 1] = { from, to, text } end
   local function push(kind)
      depth = depth + 1
      open[depth] = kind
   end
   local function pop() depth = depth > 0 and depth - 1 or 0 end
   while true do
      local kind, start, finish = next_token()
      if waiting and kind ~= ';' then
         if not ENDS_BLOCK[kind] then
            change(waiting[1], waiting[1] - 1, 'do ')
            change(waiting[2] + 1, waiting[2], ' end')
         end
         waiting = nil
      end
      if kind == 'end of source' then break end
      local begins_statement = BEGINS_BLOCK[previous]
      if kind == 'break' then
         waiting = { start, finish }
      elseif kind == ';' then
         -- In a constructor it divides fields.
         if begins_statement and open[depth] ~= '{' then change(start, finish, ' ') end
      elseif kind == '(' then
         if CALLABLE[previous] and not header and string.find(string.sub(source, previous_end + 1, start - 1), '\n', 1,
            true) then
            change(previous_end + 1, previous_end, '(')
            change(start, finish, ' ')
         end
         push(header and 'parameters' or '(')
         header = false
      elseif kind == '[' or kind == '{' or kind == 'repeat' or kind == 'do' or kind == 'if' then
         push(kind)
      elseif kind == 'function' then
         push(kind)
         header = true
      elseif kind == ')' or kind == ']' or kind == '}' or kind == 'end' or kind == 'until' then
         -- A block begins after parameters.
         if open[depth] == 'parameters' then kind = 'do' end
         pop()
      elseif kind == '::' and open[depth] ~= '::' then
         push '::'
      elseif kind == '::' then
         pop()
         kind = ';'
      end
      previous, previous_end = kind, finish
   end
   return changes
end

-- Returns source in LuaJIT's syntax, nil if there is nothing to change.
function syntax.rewrite(source)
   local changes = changes_of(source)
   if #changes == 0 then return nil end
   for i, change in ipairs(changes) do change[4] = i end
   table.sort(changes, function(a, b) return a[1] < b[1] or a[1] == b[1] and a[4] < b[4] end)
   local pieces, kept = {}, 1
   for _, change in ipairs(changes) do
      pieces[#pieces + 1] = string.sub(source, kept, change[1] - 1)
      pieces[#pieces + 1] = change[3]
      kept = change[2] + 1
   end
   pieces[#pieces + 1] = string.sub(source, kept)
   return table.concat(pieces)
end

return syntax
