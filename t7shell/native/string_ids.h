#pragma GCC visibility push(default)
/* The memcpy that numbers strings where it is called from `call`, the address behind the call, and then jumps to
   `memory_copy`. Null on other systems than Linux on x86-64. */
void *t7_string_ids(void *call, void *memory_copy);
#pragma GCC visibility pop
