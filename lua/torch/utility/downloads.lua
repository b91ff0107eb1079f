-- Progress lines for shell commands that download silently.

local host = require 'torch.native.host'
local progress = require 'torch.base.progress'

local downloads = {}

-- Options, after a space, by which a command writes to its file only.
local QUIET = {
   wget = { '%-%a*q', '%-%-quiet', '%-[oa] ', '%-%-output%-file', '%-%-append%-output' },
   curl = { '%-[^S%s]*s[^S%s]*%f[%s%z]', '%-%-silent' },
}
local FILE = { wget = '%s%-%a*O%s*(%S+)', curl = '%s%-%a*o%s*(%S+)' }
local TO_FILE = { wget = { '' }, curl = { '%-%a*[oO]', '%-%-output', '%-%-remote%-name', '%d?>' } }
local LOUD = { '%-%-show%-progress', '%-#', '%-%-progress%-bar', '%-%-show%-error', '%-%a*O%s*%-%f[%s%z]' }

local function has(command, options)
   for i = 1, #options do
      if string.match(command, '%s' .. options[i]) then return true end
   end
   return false
end

-- Whether a command writes nothing to the terminal.
local function is_quiet(tool, command)
   local plain = string.gsub(string.gsub(string.gsub(command, "'[^']*'", "''"), '"[^"]*"', '""'), '[%d&]>&?', '>')
   if string.match(plain, '[|;&`\n]') then return false end
   local redirected = string.match(command, '2>') or string.match(command, '&>')
   return (redirected or has(command, QUIET[tool])) and has(command, TO_FILE[tool]) and not has(command, LOUD)
end

local function unquoted(text) return text and (string.gsub(text, "^['\"](.-)['\"]$", "%1")) end

-- The URL that a command downloads, and the file that it writes; nil for other commands, and for those that write to
-- the terminal. `captured` means that a program captures all output of the command.
local function silent_download(command, captured)
   local tool = string.match(command, '%f[%w]wget%f[%W]') or string.match(command, '%f[%w]curl%f[%W]')
   local url = tool and string.match(command, '%a+://[^%s\'"|;&>]+')
   if not url or not (captured or is_quiet(tool, command)) then return end
   return url, unquoted(string.match(command, FILE[tool])) or string.match(url, '([^/]+)$')
end
downloads.silent = silent_download

-- Calls run(...) with a progress line if the command is such a download.
function downloads.during(command, captured, run, ...)
   progress.erase()
   local url, file
   if type(command) == 'string' and progress.possible() then url, file = silent_download(command, captured) end
   if not url then return run(...) end
   host.begin_waiting('downloading ' .. url, file)
   local function ended(...)
      host.end_waiting()
      return ...
   end
   return ended(run(...))
end

return downloads
