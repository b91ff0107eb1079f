-- Ends a trace of the JIT compiler, for functions that programs call often and that contain loops, or raise errors.
-- See docs/decisions/0014-aborted-traces.md.
--
-- A trace that meets a loop, or an error, is aborted. After some attempts the function or the loop in which such
-- traces begin is blacklisted, and so is its caller: a program that slices with five indices would slow down x[i] for
-- good. But a call of a function that cannot be compiled ends a trace and stitches another one after it, which may
-- run into loops.

return { finish = coroutine.running }
