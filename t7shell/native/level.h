#pragma GCC visibility push(default)
/* The level of x86-64 whose instructions the processor has and the system saves: 2, 3 or 4; 0 below, and elsewhere. */
int t7_level(void);
#pragma GCC visibility pop
