-- The type of NumPy's inner loops: where operands begin, their count, their steps in bytes, and the data of the loop.

return require('ffi').typeof 'void (*)(char **, const intptr_t *, const intptr_t *, void *)'
