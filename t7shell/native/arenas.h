#include <stddef.h>
#pragma GCC visibility push(default)
/* Arenas: memory for the small objects of a Lua state, see docs/decisions/0036-arenas.md. */

/* lua_Alloc of Lua's API: allocates, resizes (`old` bytes to `size`) and frees (a size of 0). */
typedef void *t7_lua_alloc(void *data, void *block, size_t old, size_t size);

/* The functions of Lua's API with which states get their arenas: lua_getallocf, lua_setallocf, lua_sethook. */
void t7_arenas_api(t7_lua_alloc *(*get_alloc)(void *state, void **data),
                   void (*set_alloc)(void *state, t7_lua_alloc *alloc, void *data),
                   int (*set_hook)(void *state, void *hook, int mask, int count));

/* A lua_Hook: removes itself, and lets the state allocate from arenas, until the last object in them is freed. It must
   be called in the main thread of the state, which lives longest, and an object must stay from then on. Without memory
   for arenas nothing changes. */
void t7_arenas_hook(void *state, void *activation);

/* The allocator itself, and what is its `data`; null without memory. `fallback` allocates what is not small. */
void *t7_arenas_alloc(void *data, void *block, size_t old, size_t size);
void *t7_arenas_new(void *state, t7_lua_alloc *fallback, void *fallback_data);
#pragma GCC visibility pop
