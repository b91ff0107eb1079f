/* The signal SIGPIPE of scripts: only a broken standard output ends the process. See t7shell/engine/process.py. */
#include "broken_pipe.h"

#if defined(_WIN32)
int t7_end_with_output(void) { return 0; }
#else
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

static void on_broken_pipe(int number) {
    int reason = errno;
    struct pollfd outputs[2] = {{.fd = STDOUT_FILENO}, {.fd = STDERR_FILENO}};
    if (poll(outputs, 2, 0) > 0 && ((outputs[0].revents | outputs[1].revents) & (POLLERR | POLLHUP))) {
        /* The signal is blocked here: it comes again, and ends the process, when this function returns. */
        signal(number, SIG_DFL);
        raise(number);
    }
    errno = reason;
}

int t7_end_with_output(void) {
    struct sigaction action = {.sa_handler = on_broken_pipe, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(SIGPIPE, &action, NULL) == 0;
}
#endif
