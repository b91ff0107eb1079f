// The machine code of string_ids.py for x86-64, whose bytes are there:
//
//    cc -O1 -fPIC -fcf-protection=none -fno-stack-protector -fno-asynchronous-unwind-tables -c string_ids.c
//    objcopy -O binary -j .text string_ids.o /dev/stdout | xxd -p -c 48
//
// A memcpy that also numbers the string which LuaJIT is making, where the call comes from there. The two words in
// front are filled in: the address behind that call, and the memcpy of C.

#include <stdint.h>

__asm__(
    "caller: .quad 0\n"
    "copy:   .quad 0\n"
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
    "        mov %eax, -12(%rdi)\n"      // GCstr.sid
    "1:      jmp *copy(%rip)\n");

static inline uint32_t rotate(uint32_t x, int bits)
{
    return x << bits | x >> (32 - bits);
}

static inline uint32_t word(const uint8_t *bytes, int64_t count)
{
    uint32_t value = 0;
    if (count >= 4)
        __builtin_memcpy(&value, bytes, 4);
    else
        while (count > 0) value = value << 8 | bytes[--count];
    return value;
}

// lookup3 of Bob Jenkins, with which the LuaJIT of Torch7 placed strings in tables.
__attribute__((used)) static uint32_t number_of(const uint8_t *key, int64_t length)
{
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
