-- Ends a trace of the JIT compiler, for code that programs may call often and that has loops, or raises errors.
--
-- A trace that meets a loop, or an error, is given up. After some tries the function or the loop in which such traces
-- begin is never compiled again, and neither is whatever calls it: a program that slices with five indices would
-- slow down x[i] for good. But a call of a function that cannot be compiled ends a trace well: another one goes
-- on behind it, which may run into loops.

return { finish = coroutine.running }
