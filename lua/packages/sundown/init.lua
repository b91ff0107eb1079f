-- sundown: Markdown as HTML.

local check = require 'torch.base.check'
local host = require('torch.native.host').of 'text'

local sundown = {}
rawset(_G, 'sundown', sundown)

-- Returns the HTML of a text.
function sundown.render(text)
   local html, why = host.markdown(check.kind('sundown.render', 'text', text, 'string'))
   if not html then check.fail('sundown.render', '%s', why) end
   return html
end

sundown.renderHTML = sundown.render

return sundown
