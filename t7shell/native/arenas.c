/* Arenas of a Lua state: bump allocation in a hole, which is an arena without objects or neighboring free lines of one
   with objects, as in Immix. Objects are counted in arrays beside the arenas: freeing one does not touch its memory,
   which has often left the caches. */
#include "arenas.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_ARENA = 15, ARENA = 1 << LOG_ARENA, REGION = 1 << 26, ARENAS = REGION / ARENA };
enum { LOG_LINE = 8, LINES = REGION >> LOG_LINE, ARENA_LINES = ARENA >> LOG_LINE };
enum { MAX_SMALL = 4352, ALIGNMENT = 16 };  /* bytes: a tensor with 4 KB of elements is small */
enum { MIN_HOLE = 4, MIN_FREED = 1 << 14 }; /* lines; objects that are freed before holes are looked for again */
enum { CACHE_LINE = 64, AHEAD = 4096, MAX_AHEAD = 512 };

typedef struct {
    void *state;
    t7_lua_alloc *fallback;
    void *fallback_data;
    char *region, *at, *end; /* what is left of the hole in use */
    int32_t current, used;   /* its arena; arenas from here on were never used */
    int32_t live[ARENAS];    /* objects that begin in an arena */
    int32_t free[ARENAS];    /* arenas without objects but the current one, the next to be used last */
    int32_t free_count;      /* of these */
    int32_t next_line;       /* where the search for holes goes on */
    int64_t freed;           /* objects that were freed since it began */
    uint8_t lines[LINES];    /* objects that a line is counted for */
} arenas;

static t7_lua_alloc *(*get_alloc)(void *, void **);
static void (*set_alloc)(void *, t7_lua_alloc *, void *);
static int (*set_hook)(void *, void *, int, int);

/* Memory from the system, in pages that take none before they are written. Huge ones save faults and misses of the
   processor's cache of addresses; the first are not, as short programs write little. */
#if defined(_WIN32)
#include <windows.h>
static char *map_region(void *state) {
    (void)state;
    return VirtualAlloc(0, REGION, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}
static void unmap_region(char *region) { VirtualFree(region, 0, MEM_RELEASE); }
#else
#include <sys/mman.h>
enum { HUGE_PAGE = 1 << 21, SMALL_PAGES = 2 * HUGE_PAGE };

/* LuaJIT keeps 47 bits of an object's address; a build without GC64, whose state lies below 4 GB, keeps 31. */
static char *map_at(uintptr_t hint, size_t size, const void *state) {
    const int address_bits = (uintptr_t)state >> 32 ? 47 : 31;
    void *p = mmap((void *)hint, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return 0;
    if (((uintptr_t)p + size - 1) >> address_bits == 0) return p;
    munmap(p, size);
    return 0;
}

static char *map_region(void *state) {
    size_t size = REGION + HUGE_PAGE;
    char *all = map_at(0, size, state);
    /* Linux on arm64 prefers higher addresses. LuaJIT found one for the state. */
    if (!all) all = map_at((uintptr_t)state / REGION * REGION + 16 * (uintptr_t)REGION, size, state);
    if (!all) return 0;
    size_t before = -(uintptr_t)all % HUGE_PAGE;
    if (before) munmap(all, before);
    munmap(all + before + REGION, HUGE_PAGE - before);
#if defined(MADV_HUGEPAGE)
    madvise(all + before + SMALL_PAGES, REGION - SMALL_PAGES, MADV_HUGEPAGE);
#endif
    return all + before;
}

static void unmap_region(char *region) { munmap(region, REGION); }
#endif

static void use(arenas *a, int64_t line, int64_t count) {
    a->current = (int32_t)(line / ARENA_LINES);
    a->at = a->region + (line << LOG_LINE);
    a->end = a->at + (count << LOG_LINE);
}

/* Finds the next hole in arenas with objects; returns whether there was one. */
static int find_hole(arenas *a) {
    if (a->freed >= MIN_FREED) a->freed = a->next_line = 0;
    const int32_t end = a->used * ARENA_LINES;
    for (int32_t line = a->next_line; line < end;) {
        int32_t first = line, arena_end = (line / ARENA_LINES + 1) * ARENA_LINES;
        while (line < arena_end && !a->lines[line]) line++;
        /* What begins in the line before may end in this one. */
        if (first % ARENA_LINES && a->lines[first - 1]) first++;
        if (line - first >= MIN_HOLE) {
            a->next_line = line;
            use(a, first, line - first);
            return 1;
        }
        while (line < arena_end && a->lines[line]) line++;
    }
    a->next_line = end;
    return 0;
}

/* Moves on to a hole for an object; returns whether there was one. New arenas are the last choice. */
static int next_hole(arenas *a, size_t size) {
    int32_t before = a->current;
    if (a->free_count)
        use(a, (int64_t)a->free[--a->free_count] * ARENA_LINES, ARENA_LINES);
    else if (size > MIN_HOLE << LOG_LINE || !find_hole(a)) {
        if (a->used == ARENAS) return 0;
        use(a, (int64_t)a->used++ * ARENA_LINES, ARENA_LINES);
    }
    if (!a->live[before] && before != a->current) a->free[a->free_count++] = before;
    return 1;
}

static ptrdiff_t line_of(const arenas *a, const char *byte) { return (byte - a->region) >> LOG_LINE; }

/* The last line that an object is counted in: of those as long as a line, which most are, the first one. */
static ptrdiff_t last_line(const arenas *a, const char *block, size_t size) {
    return line_of(a, size <= 1 << LOG_LINE ? block : block + size - 1);
}

/* Counts an object, or with -1 one less, in some lines. */
static void count(arenas *a, ptrdiff_t first, ptrdiff_t last, int by) {
    do a->lines[first] += (uint8_t)by;
    while (++first <= last);
}

/* Returns to the allocator that the state began with. */
static void uninstall(arenas *a) {
    set_alloc(a->state, a->fallback, a->fallback_data);
    unmap_region(a->region);
    free(a);
}

static void *allocate(arenas *a, size_t size) {
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size > MAX_SMALL || (rounded > (size_t)(a->end - a->at) && !next_hole(a, rounded)))
        return a->fallback(a->fallback_data, 0, 0, size);
    char *block = a->at;
    a->at += rounded;
    a->live[a->current]++;
    count(a, line_of(a, block), last_line(a, block, size), 1);
    return block;
}

static void release(arenas *a, char *block, size_t size) {
    /* The collector frees objects from the newest to the oldest, and has to read the header of each: they lie below. */
    uintptr_t ahead = (uintptr_t)block - AHEAD;
    for (size_t k = 0; k < size && k < MAX_AHEAD; k += CACHE_LINE) __builtin_prefetch((void *)(ahead - k));
    count(a, line_of(a, block), last_line(a, block, size), -1);
    a->freed++;
    int32_t arena = (int32_t)((block - a->region) >> LOG_ARENA);
    if (--a->live[arena]) return;
    if (arena != a->current) a->free[a->free_count++] = arena;
    if (a->free_count == a->used - 1 && !a->live[a->current]) uninstall(a);
}

void *t7_arenas_alloc(void *data, void *block, size_t old, size_t size) {
    arenas *a = data;
    if (!block) return size ? allocate(a, size) : 0;
    if ((uintptr_t)block - (uintptr_t)a->region >= REGION) return a->fallback(a->fallback_data, block, old, size);
    if (size && size <= old) {
        ptrdiff_t first = last_line(a, block, size), last = last_line(a, block, old);
        if (first < last) count(a, first + 1, last, -1);
        return block;
    }
    void *to = size ? allocate(a, size) : 0;
    if (to) memcpy(to, block, old);
    if (to || !size) release(a, block, old);
    return to;
}

void *t7_arenas_new(void *state, t7_lua_alloc *fallback, void *fallback_data) {
    arenas *a = calloc(1, sizeof *a);
    char *region = a ? map_region(state) : 0;
    if (!region) {
        free(a);
        return 0;
    }
    a->state = state, a->fallback = fallback, a->fallback_data = fallback_data, a->region = region;
    a->used = 1;
    use(a, 0, ARENA_LINES);
    return a;
}

void t7_arenas_api(t7_lua_alloc *(*get)(void *, void **), void (*set)(void *, t7_lua_alloc *, void *),
                   int (*hook)(void *, void *, int, int)) {
    get_alloc = get, set_alloc = set, set_hook = hook;
}

void t7_arenas_hook(void *state, void *activation) {
    (void)activation;
    void *fallback_data;
    t7_lua_alloc *fallback = get_alloc(state, &fallback_data);
    set_hook(state, 0, 0, 0);
    void *a = t7_arenas_new(state, fallback, fallback_data);
    if (a) set_alloc(state, t7_arenas_alloc, a);
}
