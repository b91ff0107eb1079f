-- Classes whose objects have a format of their own in files, instead of a table of their fields: what follows the name
-- of the class. A line each, which t7shell/t7file reads, too.

return {
   ['tds.Hash'] = 'pairs',            -- a long, and as many keys and values
   ['tds.Vec'] = 'list',              -- a long, and as many values
   ['tds.AtomicCounter'] = 'long',    -- a long
}
