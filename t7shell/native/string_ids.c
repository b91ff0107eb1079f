/* A memcpy that numbers the string which LuaJIT is making by its characters; see t7shell/engine/string_ids.py. */
#include "string_ids.h"

#if defined(__x86_64__) && defined(__linux__)
#include <stdint.h>
#include <string.h>

/* The address behind the call of the interning of strings, and the memcpy of C. */
__attribute__((used)) static void *caller, *copy;

void t7_string_memcpy(void);

/* Where the call comes from the interning of strings, the number goes to GCstr.sid, 12 bytes in front of the
 * characters. */
__asm__(".text\n"
        ".hidden t7_string_memcpy\n"
        ".globl t7_string_memcpy\n"
        ".type t7_string_memcpy, @function\n"
        "t7_string_memcpy:\n"
        "        mov (%rsp), %rax\n"
        "        cmp caller(%rip), %rax\n"
        "        jne 1f\n"
        "        push %rdi\n"
        "        push %rsi\n"
        "        push %rdx\n"
        "        mov %rsi, %rdi\n"
        "        mov %rdx, %rsi\n"
        "        call number_of\n"
        "        pop %rdx\n"
        "        pop %rsi\n"
        "        pop %rdi\n"
        "        mov %eax, -12(%rdi)\n"
        "1:      jmp *copy(%rip)\n");

static inline uint32_t rotate(uint32_t x, int bits) { return x << bits | x >> (32 - bits); }

static inline uint32_t word(const uint8_t *bytes, int64_t count) {
    uint32_t value = 0;
    if (count >= 4)
        memcpy(&value, bytes, 4);
    else
        while (count > 0) value = value << 8 | bytes[--count];
    return value;
}

/* lookup3 of Bob Jenkins, with which the LuaJIT of Torch7 placed strings in tables. */
__attribute__((used)) static uint32_t number_of(const uint8_t *key, int64_t length) {
    uint32_t a, b, c;
    a = b = c = 0xdeadbeef + (uint32_t)length;
    if (!length) return c;
    for (;; length -= 12, key += 12) {
        a += word(key, length);
        b += word(key + 4, length - 4);
        c += word(key + 8, length - 8);
        if (length <= 12) break;
        a -= c, a ^= rotate(c, 4), c += b;
        b -= a, b ^= rotate(a, 6), a += c;
        c -= b, c ^= rotate(b, 8), b += a;
        a -= c, a ^= rotate(c, 16), c += b;
        b -= a, b ^= rotate(a, 19), a += c;
        c -= b, c ^= rotate(b, 4), b += a;
    }
    c ^= b, c -= rotate(b, 14);
    a ^= c, a -= rotate(c, 11);
    b ^= a, b -= rotate(a, 25);
    c ^= b, c -= rotate(b, 16);
    a ^= c, a -= rotate(c, 4);
    b ^= a, b -= rotate(a, 14);
    c ^= b, c -= rotate(b, 24);
    return c;
}

void *t7_string_ids(void *call, void *memory_copy) {
    caller = call, copy = memory_copy;
    return (void *)t7_string_memcpy;
}
#else
void *t7_string_ids(void *call, void *memory_copy) {
    (void)call, (void)memory_copy;
    return 0;
}
#endif
