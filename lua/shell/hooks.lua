-- What packages do for the shell: they enter functions here when they are loaded, so that the shell knows none of them.

local hooks = {}

-- Functions that are called when a script or a session has ended, before its state closes.
hooks.at_end = {}

-- The events of windows and timers, if a package has any: a table of functions. `active` tells whether there are some,
-- `expects` waits for one, `doevents` calls the program's functions, and `finish` does until all windows are closed.
hooks.events = nil

function hooks.finish()
   for i = 1, #hooks.at_end do hooks.at_end[i]() end
end

function hooks.serve_windows()
   if hooks.events then hooks.events.finish() end
end

-- The events, if there are windows or timers with functions.
function hooks.active_events()
   return hooks.events and hooks.events.active() and hooks.events or nil
end

return hooks
