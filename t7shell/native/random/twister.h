#include <stdint.h>
#pragma GCC visibility push(default)
/* The 624 words of the state of mt19937, started from a seed and renewed; its numbers `bits`, and times 2^-32 `unit`.
 */
void t7_twister_seed(uint32_t *word, uint32_t seed);
void t7_twister_renew(uint32_t *word);
void t7_twister_numbers(const uint32_t *word, uint32_t *bits, double *unit);
#pragma GCC visibility pop
