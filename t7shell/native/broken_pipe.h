#pragma GCC visibility push(default)
/* Lets SIGPIPE end the process if nobody reads its standard output or error any more. Writes to all other pipes that
   nobody reads fail. Returns 0 where that cannot be done. */
int t7_end_with_output(void);
#pragma GCC visibility pop
