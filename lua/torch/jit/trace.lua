-- Ends a trace of the JIT compiler, for functions that programs call often and that contain loops or raise errors.
-- These abort a trace, and after some attempts its beginning and the caller are blacklisted. A call of a function that
-- cannot be compiled stitches another trace after it, which may run into loops. See
-- docs/decisions/0014-aborted-traces.md.

return { finish = coroutine.running }
