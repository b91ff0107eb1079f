-- Ends a trace of the JIT compiler, for functions that programs call often and that contain loops or raise errors: a
-- loop or an error aborts a trace, and after some attempts its beginning is blacklisted, and so is the caller. A call
-- of a function that cannot be compiled ends a trace and stitches another one after it, which may run into loops.
-- See docs/decisions/0014-aborted-traces.md.

return { finish = coroutine.running }
