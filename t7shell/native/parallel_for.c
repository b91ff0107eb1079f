/* A job is cut into chunks, and these into a range for each thread: a thread takes the chunks of its own range, then
   those that are left in others'. So the same part of a tensor stays in the same core's cache from job to job: jobs
   that only move memory take twice as long where threads take whatever chunk comes next.

   A range is one 64-bit word: the number of the job above, the next chunk below. A thread that wakes late for one job
   finds another number and takes nothing of it. Threads run C only; they start when they are first needed, spin for
   some time after a job and then sleep. A forked process has none and starts its own. */
#include "parallel_for.h"
#include "base.h"
#include <stdatomic.h>

enum {
    MIN_CHUNK_NS = 2000,
    MAX_CHUNKS = 64,
    MAX_THREADS = 64,
    SPINS_BEFORE_SLEEP = 20000, /* some 300 microseconds */
    SPINS_BEFORE_YIELD = 2000,  /* of the caller that waits for the last chunks */
    MIN_WAKE_NS = 8000,         /* shorter jobs wake sleeping threads only each WAKE_PERIOD-th time */
    WAKE_PERIOD = 64,
    STACK_BYTES = 1 << 20, /* kernels keep panels of 100 KB; musl gives 128 KB */
};

#if defined(__x86_64__)
#define PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define PAUSE() __asm__ volatile("yield")
#else
#define PAUSE() ((void)0)
#endif

static struct {
    struct {
        _Alignas(64) atomic_uint_fast64_t next; /* number of the job << 32 | next chunk */
    } ranges[MAX_THREADS];                      /* the caller's, then the threads' */
    _Alignas(64) atomic_int unfinished;         /* chunks that have not ended */
    _Alignas(64) atomic_int_fast64_t chunks;
    atomic_int threads; /* that may take part, and ranges in use */
    t7_chunk *f;
    void *data;
    int64_t count, size;
    atomic_int sleeping;
    atomic_flag in_use; /* by a caller */
    int started, short_jobs;
} pool = {.in_use = ATOMIC_FLAG_INIT};

/* Threads that jobs of this thread may use; 0 before it has set them. */
static _Thread_local int limit;
static atomic_int max_threads = 1;

/* Threads, a lock and a condition of the system. */
#if defined(_WIN32)
#include <windows.h>
static SRWLOCK lock = SRWLOCK_INIT;
static CONDITION_VARIABLE wake = CONDITION_VARIABLE_INIT;
static void acquire(void) { AcquireSRWLockExclusive(&lock); }
static void release(void) { ReleaseSRWLockExclusive(&lock); }
static void wait_for_wake(void) { SleepConditionVariableSRW(&wake, &lock, INFINITE, 0); }
static void wake_all(void) { WakeAllConditionVariable(&wake); }
static void yield_core(void) { SwitchToThread(); }
static void worker(int own);
static DWORD WINAPI start_routine(void *own) {
    worker((int)(intptr_t)own);
    return 0;
}
static int start_thread(int own) {
    HANDLE thread = CreateThread(0, 0, start_routine, (void *)(intptr_t)own, 0, 0);
    if (thread) CloseHandle(thread);
    return thread != 0;
}
static void prepare_for_fork(void) {}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static void acquire(void) { pthread_mutex_lock(&lock); }
static void release(void) { pthread_mutex_unlock(&lock); }
static void wait_for_wake(void) { pthread_cond_wait(&wake, &lock); }
static void wake_all(void) { pthread_cond_broadcast(&wake); }
static void yield_core(void) { sched_yield(); }
static void worker(int own);
static void *start_routine(void *own) {
    worker((int)(intptr_t)own);
    return 0;
}
/* Signals go to the threads of Python. */
static int start_thread(int own) {
    sigset_t all, before;
    pthread_t thread;
    pthread_attr_t attributes;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int failed = pthread_create(&thread, &attributes, start_routine, (void *)(intptr_t)own);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, 0);
    if (!failed) pthread_detach(thread);
    return !failed;
}
static void forget_threads(void) {
    pthread_mutex_init(&lock, 0);
    pthread_cond_init(&wake, 0);
    atomic_store(&pool.sleeping, 0);
    atomic_store(&pool.unfinished, 0);
    atomic_flag_clear(&pool.in_use);
    pool.started = 0;
}
static void prepare_for_fork(void) {
    static int registered = 0;
    if (!registered) pthread_atfork(0, 0, forget_threads);
    registered = 1;
}
#endif

static uint32_t job_of(uint_fast64_t next) { return (uint32_t)(next >> 32); }
static uint32_t current_job(void) { return job_of(atomic_load_explicit(&pool.ranges[0].next, memory_order_acquire)); }

static void run_chunk(int64_t k) {
    int64_t from = k * pool.size, to = from + pool.size;
    pool.f(pool.data, from, min_i(to, pool.count));
}

/* The first chunk of a range; ranges are consecutive. */
static int64_t first_chunk(int range, int threads) {
    return atomic_load_explicit(&pool.chunks, memory_order_acquire) * range / threads;
}

static void take_range(uint32_t job, int range, int threads) {
    atomic_uint_fast64_t *next = &pool.ranges[range].next;
    uint_fast64_t t = atomic_load_explicit(next, memory_order_acquire);
    while (job_of(t) == job && (int64_t)(uint32_t)t < first_chunk(range + 1, threads)) {
        if (!atomic_compare_exchange_weak_explicit(next, &t, t + 1, memory_order_acq_rel, memory_order_acquire))
            continue;
        run_chunk((uint32_t)t);
        atomic_fetch_sub_explicit(&pool.unfinished, 1, memory_order_release);
        t = atomic_load_explicit(next, memory_order_acquire);
    }
}

/* Runs chunks of a job until all are taken. */
static void take_chunks(uint32_t job, int own) {
    int threads = atomic_load_explicit(&pool.threads, memory_order_acquire);
    for (int k = 0; own < threads && k < threads; k++) take_range(job, (own + k) % threads, threads);
}

static void worker(int own) {
    uint32_t seen = current_job();
    take_chunks(seen, own);
    for (;;) {
        for (int i = 0; i < SPINS_BEFORE_SLEEP && current_job() == seen; i++) PAUSE();
        if (current_job() == seen) {
            acquire();
            atomic_fetch_add(&pool.sleeping, 1);
            while (current_job() == seen) wait_for_wake();
            atomic_fetch_sub(&pool.sleeping, 1);
            release();
        }
        seen = current_job();
        take_chunks(seen, own);
    }
}

/* LuaJIT closes the library with its state, while threads may run in it. On Linux the linker marks it. */
static void keep_loaded(void) {
#if defined(_WIN32)
    HMODULE module;
    GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, (LPCSTR)&keep_loaded,
                       &module);
#elif defined(__APPLE__)
    Dl_info info;
    if (dladdr((void *)&keep_loaded, &info)) dlopen(info.dli_fname, RTLD_LAZY | RTLD_NODELETE);
#endif
}

static void start_threads(void) {
    int wanted = t7_threads() - 1;
    if (pool.started < wanted) prepare_for_fork(), keep_loaded();
    while (pool.started < wanted && start_thread(pool.started + 1)) pool.started++;
}

static void run_alone(t7_chunk *f, void *data, int64_t count, int64_t size) {
    for (int64_t from = 0; from < count; from += size) f(data, from, min_i(from + size, count));
}

/* Whether a job is worth waking threads for. */
static int should_wake(double nanoseconds) {
    if (nanoseconds >= MIN_WAKE_NS || pool.started > atomic_load(&pool.sleeping)) return 1;
    pool.short_jobs = (pool.short_jobs + 1) % WAKE_PERIOD;
    return pool.short_jobs == 0;
}

static void offer(t7_chunk *f, void *data, int64_t count, int64_t size, int64_t chunks) {
    uint32_t job = current_job() + 1;
    int threads = t7_threads();
    /* Closes the last job: a thread that still looks for a chunk of it could take one of this. */
    for (int k = atomic_load_explicit(&pool.threads, memory_order_relaxed) - 1; k >= 0; k--)
        atomic_store_explicit(&pool.ranges[k].next, (uint_fast64_t)(job - 1) << 32 | UINT32_MAX, memory_order_release);
    pool.f = f, pool.data = data, pool.count = count, pool.size = size;
    atomic_store_explicit(&pool.unfinished, (int)chunks, memory_order_relaxed);
    atomic_store_explicit(&pool.threads, threads, memory_order_release);
    atomic_store_explicit(&pool.chunks, chunks, memory_order_release);
    for (int k = threads - 1; k > 0; k--)
        atomic_store_explicit(&pool.ranges[k].next, (uint_fast64_t)job << 32 | (uint32_t)(chunks * k / threads),
                              memory_order_release);
    /* Before `sleeping` is read. */
    atomic_store(&pool.ranges[0].next, (uint_fast64_t)job << 32);
    if (atomic_load(&pool.sleeping)) {
        acquire();
        wake_all();
        release();
    }
    take_chunks(job, 0);
    for (int i = 0; atomic_load_explicit(&pool.unfinished, memory_order_acquire); i++)
        if (i < SPINS_BEFORE_YIELD)
            PAUSE();
        else
            yield_core();
}

void t7_parallel_for(t7_chunk *f, void *data, int64_t count, int64_t unit, double nanoseconds) {
    int64_t chunks =
        nanoseconds < (double)MIN_CHUNK_NS * MAX_CHUNKS ? (int64_t)(nanoseconds / MIN_CHUNK_NS) : MAX_CHUNKS;
    int64_t size = chunks < 2 ? count : ceil_div(ceil_div(count, chunks), unit) * unit;
    if (size >= count) {
        if (count > 0) f(data, 0, count);
        return;
    }
    if (t7_threads() < 2 || atomic_flag_test_and_set(&pool.in_use)) {
        run_alone(f, data, count, size);
        return;
    }
    if (should_wake(nanoseconds)) {
        start_threads();
        offer(f, data, count, size, ceil_div(count, size));
    } else {
        run_alone(f, data, count, size);
    }
    atomic_flag_clear(&pool.in_use);
}

void t7_set_max_threads(int threads) {
    atomic_store(&max_threads, threads < 1 ? 1 : threads < MAX_THREADS ? threads : MAX_THREADS);
}

void t7_set_threads(int threads) { limit = threads < 1 ? 1 : threads; }

int t7_threads(void) {
    int max = atomic_load_explicit(&max_threads, memory_order_relaxed);
    return limit > 0 && limit < max ? limit : max;
}
