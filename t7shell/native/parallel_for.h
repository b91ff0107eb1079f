#include <stdint.h>
#pragma GCC visibility push(default)
/* Units `from` to `to - 1` of a job. Computes what follows from `data` alone, and calls neither Lua nor parallel_for.
 */
typedef void t7_chunk(void *data, int64_t from, int64_t to);

/* Calls f for all units of 0 to count - 1. `nanoseconds` estimates the time that one core takes for all of them. Chunks
   begin at multiples of `unit`, at boundaries that follow from the arguments alone, so results have the same bits for
   any number of threads. Of two calls at the same time the later one runs on its own thread. */
void t7_parallel_for(t7_chunk *f, void *data, int64_t count, int64_t unit, double nanoseconds);

/* Threads that jobs may use, the caller's included: of the process, and of the calling thread. */
void t7_set_max_threads(int threads);
void t7_set_threads(int threads);
int t7_threads(void);
#pragma GCC visibility pop
