/* Jobs of changing sizes, one right after the other: every unit runs exactly once. */
#include "parallel_for.h"
#include <stdio.h>
#include <string.h>

enum { MOST = 64, JOBS = 300000 };

static void count_runs(void *data, int64_t from, int64_t to) {
    int *runs = data;
    for (int64_t i = from; i < to; i++) __atomic_fetch_add(&runs[i], 1, __ATOMIC_RELAXED);
}

int main(void) {
    int runs[MOST];
    t7_set_max_threads(4);
    for (int job = 0; job < JOBS; job++) {
        int count = 2 + job * 7L % (MOST - 4);
        memset(runs, 0, sizeof runs);
        t7_parallel_for(count_runs, runs, count, 1, 2000.0 * count);
        for (int i = 0; i < MOST; i++) {
            if (runs[i] != (i < count)) {
                printf("job %d: unit %d of %d ran %d times\n", job, i, count, runs[i]);
                return 1;
            }
        }
    }
    puts("each unit ran once");
    return 0;
}
