-- Names of files, strings and numbers: dirname, concat, fpath, prefix, split, isNaN.

local paths = require 'paths'
local check, finish_trace = require 'torch.base.check', require('torch.jit.trace').finish

return function(sys)
   sys.dirname, sys.concat = paths.dirname, paths.concat
   sys.prefix = paths.dirname(paths.execdir() or paths.cwd() or '.')

   -- Older versions had these as well, so scripts call them; listing the table does not show them.
   setmetatable(sys, { __index = { basename = paths.basename, filep = paths.filep, dirp = paths.dirp } })

   -- The folder of the file in which the caller stands, and the name of the file in it.
   function sys.fpath()
      local level = 2
      local frame = debug.getinfo(level, 'S')
      while frame and frame.what == 'C' do
         level = level + 1
         frame = debug.getinfo(level, 'S')
      end
      local source = frame and frame.source or '='
      local file = paths.concat(string.sub(source, 1, 1) == '@' and string.sub(source, 2) or source)
      return paths.dirname(file), paths.basename(file)
   end

   -- The pieces of a string between matches of a pattern; an empty one at either end is left out.
   function sys.split(text, pattern)
      text = type(text) == 'number' and text .. '' or check.kind('sys.split', 'the text', text, 'string')
      pattern = check.kind('sys.split', 'the pattern', pattern, 'string')
      local pieces, start = {}, 1
      finish_trace()
      local from, to = string.find(text, pattern)
      while from and to >= from do
         if from > 1 then pieces[#pieces + 1] = string.sub(text, start, from - 1) end
         start = to + 1
         from, to = string.find(text, pattern, start)
      end
      if start <= #text then pieces[#pieces + 1] = string.sub(text, start) end
      return pieces
   end

   function sys.isNaN(value)
      return value ~= value
   end
end
