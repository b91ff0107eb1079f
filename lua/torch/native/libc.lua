-- The C functions that the library calls, as fields t7_name of ffi.C. A name can be declared only once in a LuaJIT
-- state, and a program may declare malloc itself, with other types.

local ffi, jit = require 'ffi', jit

-- `from`: symbols whose C names differ.
local function declare(declarations, from)
   ffi.cdef((string.gsub(declarations, '([%w_]+)(%b())%s*;', function(name, parameters)
      return string.format('t7_%s%s __asm__("%s");', name, parameters, from and from[name] or name)
   end)))
end

-- Memory, text and numbers.
declare [[
void *calloc(size_t count, size_t size);
void *malloc(size_t size);
void free(void *block);
void *memchr(const void *block, int value, size_t count);
void *memmove(void *to, const void *from, size_t count);
char *strerror(int number);
double strtod(const char *text, char **rest);
int64_t strtoll(const char *text, char **rest, int base);
int ffs(int bits);
double sin(double angle);
double cos(double angle);
]]

-- strtod only for its second result: the first may be a NaN with a payload, see nan_payloads.lua.
declare('void pass_double(const char *text, char **rest);', { pass_double = 'strtod' })

-- File functions with the same signature on all systems.
declare [[
char *getcwd(char *buffer, size_t size);
int access(const char *name, int mode);
int rmdir(const char *name);
int setvbuf(void *file, char *buffer, int mode, size_t size);
int fflush(void *file);
int ferror(void *file);
]]

local is_windows = jit.os == 'Windows'
declare([[
int open(const char *name, int flags, ...);
int64_t lseek(int file, int64_t offset, int origin);
int close(int file);
void *popen(const char *command, const char *mode);
int pclose(void *pipe);
int fileno(void *pipe);
int isatty(int file);
]], is_windows and { open = '_open', lseek = '_lseeki64', close = '_close', popen = '_popen', pclose = '_pclose',
   fileno = '_fileno', isatty = '_isatty' })

if is_windows then
   declare([[
   int mkdir(const char *name);
   int read(int file, void *to, unsigned int count);
   int write(int file, const void *from, unsigned int count);
   void Sleep(uint32_t milliseconds);
   void GetSystemTimeAsFileTime(uint64_t *ticks);
   ]], { mkdir = '_mkdir', read = '_read', write = '_write' })
else
   -- Memory.
   declare [[
   int madvise(void *start, size_t length, int advice);
   ]]
   -- Files, folders, terminals.
   declare [[
   int mkdir(const char *name, unsigned int mode);
   long readlink(const char *name, char *buffer, size_t size);
   void *opendir(const char *name);
   void *readdir(void *folder);
   int closedir(void *folder);
   intptr_t read(int file, void *to, size_t count);
   intptr_t write(int file, const void *from, size_t count);
   int ioctl(int file, unsigned long request, ...);
   void __fpurge(void *file);
   ]]
   -- Time and processes.
   declare [[
   int clock_gettime(int clock, long *seconds_and_nanoseconds);
   int gettimeofday(long *seconds_and_microseconds, void *zone);
   int getrusage(int function_name, void *usage);
   int usleep(unsigned int microseconds);
   int getpid(void);
   int kill(int process, int number);
   int uname(void *names);
   int sched_yield(void);
   int pthread_mutex_init(void *mutex, void *attributes);
   int pthread_mutex_destroy(void *mutex);
   int pthread_mutex_lock(void *mutex);
   int pthread_mutex_trylock(void *mutex);
   int pthread_mutex_unlock(void *mutex);
   int pthread_condattr_init(void *attributes);
   int pthread_condattr_setclock(void *attributes, int clock);
   int pthread_cond_init(void *condition, void *attributes);
   int pthread_cond_timedwait(void *condition, void *mutex, const long *seconds_and_nanoseconds);
   int pthread_cond_signal(void *condition);
   int pthread_cond_broadcast(void *condition);
   ]]
end

return ffi.C
