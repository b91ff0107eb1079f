-- libthreads: the name by which programs load single threads, mutexes and conditions.

return require 'threads'
